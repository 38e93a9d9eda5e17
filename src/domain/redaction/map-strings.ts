import type { ExactJson, ExactObject } from '../digest/exact-json.js';
import { isRawNumber } from '../digest/exact-json.js';

interface Task {
  from: ExactJson[] | ExactObject;
  to: ExactJson[] | ExactObject;
}

/**
 * A copy of the document with every string value and every key mapped. Iterative, so no depth overflows the stack, and keys such
 * as `__proto__` stay data. Of keys that become equal the last wins.
 */
export function mapStrings<T extends ExactJson>(
  root: T,
  mapValue: (text: string) => string,
  mapKey: (key: string) => string,
): T {
  const tasks: Task[] = [];
  const copy = (value: ExactJson): ExactJson => {
    if (typeof value === 'string') return mapValue(value);
    if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
    const to: ExactJson[] | ExactObject = Array.isArray(value) ? new Array<ExactJson>(value.length) : {};
    tasks.push({ from: value, to });
    return to;
  };
  const result = copy(root);
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    if (Array.isArray(task.from)) {
      for (let i = 0; i < task.from.length; i++) (task.to as ExactJson[])[i] = copy(task.from[i] ?? null);
    } else {
      for (const key of Object.keys(task.from)) {
        const member = task.from[key];
        if (member !== undefined) setMember(task.to as ExactObject, mapKey(key), copy(member));
      }
    }
  }
  return result as T;
}

function setMember(target: ExactObject, key: string, value: ExactJson): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}
