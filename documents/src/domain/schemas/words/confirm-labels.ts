import type { FieldReason } from './made-schema.js';

/**
 * Says of each field by which of its labels sample documents print it.
 *
 * @param texts what the samples say, a text for each of them
 */
export function confirmLabels(rationale: readonly FieldReason[], texts: readonly string[]): FieldReason[] {
  if (texts.length === 0) return [...rationale];
  const samples = texts.map(plain);
  return rationale.map((field) => {
    const label = field.labels.find(
      (one) => plain(one).trim() !== '' && samples.some((text) => text.includes(plain(one))),
    );
    const count = label === undefined ? 0 : samples.filter((text) => text.includes(plain(label))).length;
    const found =
      label === undefined ? 'no sample prints its name' : `"${label}" stands in ${count} of ${samples.length} samples`;
    return { ...field, reason: `${field.reason}; ${found}` };
  });
}

/** Words between blanks, so that a label is found as whole words alone. */
function plain(text: string): string {
  return ` ${text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ')} `;
}
