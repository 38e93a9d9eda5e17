import type { JsonPrimitive } from '../../../../../src/domain/json.js';
import type { NormalScalar } from '../../schemas/normal-schema.js';
import { figure, scale, unit } from './statement-figures.js';

/** From what is printed to the value, by the schema alone. Null where it does not follow. */
export type Normalizer = (raw: string, node: NormalScalar) => JsonPrimitive;

/** What is printed, with white space folded. */
const verbatim: Normalizer = (raw) => {
  const text = raw.replaceAll(/\s+/gu, ' ').trim();
  return text === '' ? null : text;
};

/**
 * Every way by which a value may follow from what is printed. A value that names one is checked against it: no answer says something that its words do not.
 */
export const NORMALIZERS = { verbatim, figure, scale, unit } as const satisfies Record<string, Normalizer>;

export type NormalizerName = keyof typeof NORMALIZERS;
