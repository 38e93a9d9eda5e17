import { isJsonObject } from '../../domain/json.js';
import type { JsonObject } from '../../domain/json.js';

type FieldShape =
  | { type: 'string'; description: string; optional?: true; minLength?: number }
  | { type: 'integer'; description: string; optional?: true; minimum: number }
  | { type: 'boolean'; description: string; optional?: true };

/** The members of a tool's input: one table gives the JSON schema that the model sees and the check of what it sent. */
export type InputFields = Record<string, FieldShape>;

type ValueOf<F extends FieldShape> = F['type'] extends 'string'
  ? string
  : F['type'] extends 'integer'
    ? number
    : boolean;

export type InputOf<F extends InputFields> = {
  [K in keyof F as F[K] extends { optional: true } ? never : K]: ValueOf<F[K]>;
} & {
  [K in keyof F as F[K] extends { optional: true } ? K : never]?: ValueOf<F[K]>;
};

/**
 * The model's input does not fit the tool. Never asked of the gate; the harness answers it as an error of at most 2 KiB
 * (docs/design/model-gateway.md), so the message names members of ours and bounds what it repeats of the model's.
 */
export class InvalidToolInputError extends Error {
  override readonly name = 'InvalidToolInputError';
}

const MAX_REPEATED_NAME = 60;

export function inputSchema(fields: InputFields): JsonObject & { type: 'object' } {
  const properties: JsonObject = {};
  for (const [name, shape] of Object.entries(fields)) {
    properties[name] = Object.fromEntries(Object.entries(shape).filter(([member]) => member !== 'optional'));
  }
  const required = Object.keys(fields).filter((name) => fields[name]?.optional !== true);
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Returns the checked input; throws {@link InvalidToolInputError} naming the first member that does not fit. */
export function parseInput<F extends InputFields>(fields: F, value: unknown): InputOf<F> {
  if (!isJsonObject(value)) throw new InvalidToolInputError('the input must be a JSON object');
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(fields, name)) throw new InvalidToolInputError(`unknown member ${boundName(name)}`);
  }
  for (const [name, shape] of Object.entries(fields)) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    if (member === undefined && shape.optional === true) continue;
    const problem = problemOf(shape, member);
    if (problem !== null) throw new InvalidToolInputError(`member ${name} ${problem}`);
  }
  return value as InputOf<F>;
}

function problemOf(shape: FieldShape, value: unknown): string | null {
  if (value === undefined) return 'is missing';
  switch (shape.type) {
    case 'string':
      if (typeof value !== 'string') return 'must be a string';
      return value.length < (shape.minLength ?? 0) ? 'must not be empty' : null;
    case 'integer':
      if (typeof value !== 'number' || !Number.isSafeInteger(value)) return 'must be an integer';
      return value < shape.minimum ? `must be at least ${shape.minimum}` : null;
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false';
  }
}

function boundName(name: string): string {
  return JSON.stringify(name.slice(0, MAX_REPEATED_NAME).toWellFormed());
}
