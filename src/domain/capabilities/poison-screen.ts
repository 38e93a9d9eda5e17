import { isJsonObject } from '../json.js';

/**
 * Characters that hide text from a reader or reorder it, so that a person and a model would read different descriptions
 * (docs/design/tools.md): controls but newline, tab and carriage return; what is drawn as nothing, which zero-width, bidirectional
 * and tag characters are, but the selectors that make a symbol text or emoji; and half a surrogate pair, which is no text.
 */
const POISON = /(?!\n|\r|\t|\ufe0e|\ufe0f)[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

/** The first such character as `U+200B`, or null. */
export function findPoison(text: string): string | null {
  const found = POISON.exec(text)?.[0];
  return found === undefined ? null : `U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Where in a document the first such character was found. */
export interface FoundPoison {
  /** `description` and `title` by their name, another text as `text`, and `member name`. */
  what: string;
  poison: string;
}

/** The same for every text of a document, names of members included. Not recursive, because the author chooses the depth. */
export function findPoisonWithin(root: unknown): FoundPoison | null {
  const pending: { what: string; value: unknown }[] = [{ what: 'text', value: root }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { what, value } = next;
    const poison = typeof value === 'string' ? findPoison(value) : null;
    if (poison !== null) return { what, poison };
    if (Array.isArray(value)) for (const one of value) pending.push({ what, value: one });
    if (!isJsonObject(value)) continue;
    for (const [name, inner] of Object.entries(value)) {
      const named = findPoison(name);
      if (named !== null) return { what: 'member name', poison: named };
      pending.push({ what: name === 'description' || name === 'title' ? name : 'text', value: inner });
    }
  }
  return null;
}
