/**
 * Characters that hide text from a reader or reorder it, so that a person and a model would read different descriptions
 * (chapter 30 §10.1): controls but newline, tab and carriage return; and what is drawn as nothing, which zero-width, bidirectional
 * and tag characters are, but the selectors that make a symbol text or emoji.
 */
const POISON = /(?!\n|\r|\t|\ufe0e|\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}]/u;

/** The first such character as `U+200B`, or null. */
export function findPoison(text: string): string | null {
  const found = POISON.exec(text)?.[0];
  return found === undefined ? null : `U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
