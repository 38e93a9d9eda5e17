import { invalidMember, type DocsvcError } from '../../domain/errors.js';

/** Deepest nesting of a request body: what reads it afterwards may recurse, and a schema of ten nullable objects inside each other fits. */
const MAX_DEPTH = 64;
/** Members and items of one body, with those inside them. */
const MAX_VALUES = 100_000;

/**
 * Refuses what PostgreSQL cannot store: NUL in any string, lone surrogates, which have no UTF-8 form, and numbers that were read as
 * infinite; and bodies that are nested too deep or hold too many values. Walks without recursion, so that no nesting can exhaust the stack.
 */
export function refuseUnstorable(root: unknown, name: string): void {
  const pending: { path: string; value: unknown; depth: number }[] = [{ path: name, value: root, depth: 0 }];
  let values = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, value, depth } = next;
    values += 1;
    if (depth > MAX_DEPTH) throw refusal(path, `is nested deeper than ${MAX_DEPTH} levels`);
    if (values > MAX_VALUES) throw refusal('body', `holds more than ${MAX_VALUES} values`);
    if (typeof value === 'string') refuseText(value, path);
    if (typeof value === 'number' && !Number.isFinite(value)) throw refusal(path, 'is a number out of range');
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      refuseText(key, `a member name in ${path}`);
      pending.push({
        path: Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`,
        value: member,
        depth: depth + 1,
      });
    }
  }
}

function refuseText(text: string, path: string): void {
  if (text.includes('\u0000')) throw refusal(path, 'must not contain the character U+0000');
  if (!text.isWellFormed()) throw refusal(path, 'is not well-formed Unicode (a lone surrogate)');
}

function refusal(path: string, message: string): DocsvcError {
  return invalidMember(path.replace(/^body\./, '').slice(0, 200), message);
}
