/**
 * Characters that hide text from a reader or reorder it, so that a person and a model would read different descriptions
 * (chapter 30 §10.1): controls but newline, tab and carriage return; zero-width; bidirectional.
 */
const POISON = /(?![\n\r\t])\p{Cc}|[\u200b-\u200d\u2060\ufeff\u202a-\u202e\u2066-\u2069]/u;

/** The first such character as `U+200B`, or null. */
export function findPoison(text: string): string | null {
  const found = POISON.exec(text)?.[0];
  return found === undefined ? null : `U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
