import { registerDecorator } from 'class-validator';
import { SandgateError } from '../errors.js';
import { isJsonObject } from '../json.js';

export const MAX_LABELS = 16;
export const MAX_LABEL_VALUE = 255;
export const LABEL_NAME_PATTERN = '^[A-Za-z0-9._/-]{1,63}$';
/** `name=value`, as the query filters by. */
export const LABEL_PAIR_PATTERN = `^[A-Za-z0-9._/-]{1,63}=[\\s\\S]{0,${MAX_LABEL_VALUE}}$`;
const NAME = new RegExp(LABEL_NAME_PATTERN);

/** Why labels are not acceptable, or undefined when they are. */
export function labelsProblem(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'must be an object of strings';
  const labels = Object.entries(value);
  if (labels.length > MAX_LABELS) return `must not hold more than ${MAX_LABELS} labels`;
  for (const [name, text] of labels) {
    if (!NAME.test(name))
      return `must have names of 1 to 63 of A-Z a-z 0-9 . _ / -, not ${JSON.stringify(name.slice(0, 80))}`;
    if (typeof text !== 'string' || text.length > MAX_LABEL_VALUE)
      return `must hold strings of at most ${MAX_LABEL_VALUE} characters (${name})`;
  }
  return undefined;
}

export function IsLabels(): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'isLabels',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) => labelsProblem(value) === undefined,
        defaultMessage: (validation) => labelsProblem(validation?.value) ?? 'is invalid',
      },
    });
  };
}

/** Query `label`, once or more: `name=value`, all of which a run must carry. */
export function parseLabelFilter(raw: unknown): Record<string, string> | undefined {
  if (raw === undefined) return undefined;
  const labels: [string, string][] = [raw].flat().map((pair) => {
    const split = typeof pair === 'string' ? pair.indexOf('=') : -1;
    if (typeof pair !== 'string' || split < 1) throw new SandgateError('invalid_request', 'label: must be name=value');
    return [pair.slice(0, split), pair.slice(split + 1)];
  });
  if (labels.length > MAX_LABELS)
    throw new SandgateError('invalid_request', `label: must not be given more than ${MAX_LABELS} times`);
  const filter = Object.fromEntries(labels);
  const twice = labels.find(([name, value]) => filter[name] !== value);
  if (twice !== undefined)
    throw new SandgateError('invalid_request', `label: no run carries two values of ${twice[0].slice(0, 80)}`);
  const problem = labelsProblem(filter);
  if (problem !== undefined) throw new SandgateError('invalid_request', `label: ${problem}`);
  return filter;
}
