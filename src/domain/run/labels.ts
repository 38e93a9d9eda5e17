import { ValidateBy } from 'class-validator';
import { isJsonObject } from '../json.js';
import { verbatim } from '../verbatim.js';

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
  return judgedBy(labelsProblem, 'isLabels');
}

/** Why query `label`, once or more, is not acceptable: `name=value`, all of which one run can carry. */
export function labelFilterProblem(raw: unknown): string | undefined {
  const pairs: unknown[] = [raw].flat();
  if (!pairs.every((pair) => typeof pair === 'string' && pair.indexOf('=') > 0)) return 'must be name=value';
  if (pairs.length > MAX_LABELS) return `must not be given more than ${MAX_LABELS} times`;
  const labels = pairs.map((pair) => splitPair(String(pair)));
  const filter = Object.fromEntries(labels);
  const twice = labels.find(([name, value]) => filter[name] !== value);
  if (twice !== undefined) return `no run carries two values of ${twice[0].slice(0, 80)}`;
  return labelsProblem(filter);
}

export function IsLabelFilter(): PropertyDecorator {
  return judgedBy(labelFilterProblem, 'isLabelFilter');
}

/** The labels that a run must carry, of a query without a problem. */
export function labelFilter(pairs: string | string[] | undefined): Record<string, string> | undefined {
  return pairs === undefined ? undefined : Object.fromEntries([pairs].flat().map(splitPair));
}

function splitPair(pair: string): [string, string] {
  const split = pair.indexOf('=');
  return [pair.slice(0, split), pair.slice(split + 1)];
}

function judgedBy(problem: (value: unknown) => string | undefined, name: string): PropertyDecorator {
  return ValidateBy({
    name,
    validator: {
      validate: (value: unknown) => problem(value) === undefined,
      defaultMessage: (validation) => verbatim(problem(validation?.value) ?? 'is invalid'),
    },
  });
}
