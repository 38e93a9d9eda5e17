import type { Word, WordPart } from 'unbash';

/** A word of a simple command as bash would hand it over, as far as that is certain before the line runs. */
export interface ShellWord {
  /** After quote removal; null when an expansion, a glob or a brace decides it. */
  value: string | null;
  /** Source text. */
  text: string;
  /** Whether it is exactly one word whatever its expansions yield. */
  single: boolean;
}

export function shellWord(word: Word): ShellWord {
  const value = literalValue(word);
  return { value, text: word.text, single: value !== null || isQuotedWhole(word) };
}

/** The value after quote removal, or null when anything but quotes and escapes is involved. */
export function literalValue(word: Word): string | null {
  if (word.text.startsWith('~')) return null;
  if (word.parts === undefined) return word.value;
  let value = '';
  for (const part of word.parts) {
    const piece = literalPart(part);
    if (piece === null) return null;
    value += piece;
  }
  return value;
}

function literalPart(part: WordPart): string | null {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted': {
      let value = '';
      for (const child of part.parts) {
        if (child.type !== 'Literal') return null;
        value += child.value;
      }
      return value;
    }
    default:
      return null;
  }
}

/** Double quotes keep an expansion one word, except `$@` and `[@]`. */
function isQuotedWhole(word: Word): boolean {
  return (word.parts ?? []).every(
    (part) => literalPart(part) !== null || (part.type === 'DoubleQuoted' && !/\$@|\[@\]|\$\{@/.test(part.text)),
  );
}
