import type { ValueTransformer } from 'typeorm';

/** Counts of bytes, which are far below 2^53, as numbers: the driver gives a `bigint` as text. */
export const BIGINT: ValueTransformer = {
  to: (value: unknown) => value,
  from: (value: unknown) => (value === null ? null : Number(value)),
};
