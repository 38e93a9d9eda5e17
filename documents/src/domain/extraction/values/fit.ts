import type { JsonPrimitive } from '../../../../../src/domain/json.js';
import type { NormalScalar, ScalarRule } from '../../schemas/normal-schema.js';
import { typeOfValue } from '../../schemas/schema-node.js';

const FORMATS: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-\d{2}-\d{2}$/u,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/u,
  time: /^\d{2}:\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2})$/u,
  email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/u,
  uri: /^[a-z][a-z\d+.-]*:\S+$/iu,
};

/** Whether a schema takes a value: its type, list, pattern, format and bounds. */
export function isFit(node: NormalScalar, value: JsonPrimitive): boolean {
  return node.rules.some((rule) => isByRule(rule, value));
}

function isByRule({ type, values, format, pattern, bounds }: ScalarRule, value: JsonPrimitive): boolean {
  const is = typeOfValue(value);
  if (is !== type && !(type === 'number' && is === 'integer')) return false;
  if (values !== null && !values.includes(value)) return false;
  if (typeof value === 'string') {
    if (pattern !== null && !new RegExp(pattern, 'u').test(value)) return false;
    const form = format === null ? undefined : FORMATS[format];
    if (form?.test(value) === false) return false;
    return value.length >= (bounds['minLength'] ?? 0) && value.length <= (bounds['maxLength'] ?? Infinity);
  }
  return typeof value !== 'number' || isInBounds(value, bounds);
}

function isInBounds(value: number, bounds: Readonly<Record<string, number>>): boolean {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = bounds;
  const step = bounds['multipleOf'];
  const isStep = step === undefined || Math.abs(value / step - Math.round(value / step)) < 1e-9;
  return value >= minimum && value <= maximum && value > exclusiveMinimum && value < exclusiveMaximum && isStep;
}
