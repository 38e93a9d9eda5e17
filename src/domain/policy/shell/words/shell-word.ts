import type { Word, WordPart } from 'unbash';

/** Expansions that yield several words even within quotes. */
const MANY_WORDS = /\$@|\[@\]|\$\{@/;
/** A word that starts so cannot become an option: quotes, then a letter, a digit or the like. */
const PLAIN_START = /^["']*[A-Za-z0-9_./~:@%,=]/;

/** A word of a simple command as bash would hand it over, as far as that is certain before the line runs. */
export interface ShellWord {
  /** After quote removal; null when an expansion, a glob or a brace decides it. */
  value: string | null;
  /** Source text. */
  text: string;
  /** Whether it is exactly one word whatever its expansions yield. */
  single: boolean;
  /** Whether a word of unknown value may turn out to be an option or an action; false for literals. */
  mayBeOption: boolean;
}

export function shellWord(word: Word): ShellWord {
  const value = literalValue(word);
  if (value !== null) return { value, text: word.text, single: true, mayBeOption: false };
  return {
    value,
    text: word.text,
    single: isQuotedWhole(word),
    mayBeOption: splits(word) || !(PLAIN_START.test(word.text) || word.parts?.every(isNoOption) === true),
  };
}

/** A word whose value only the run decides, such as what `xargs` appends. */
export function unknownWord(text: string): ShellWord {
  return { value: null, text, single: false, mayBeOption: true };
}

const PLAIN = /^[A-Za-z0-9_./:@%+,=-]+$/;
/** A tilde that becomes a home directory. */
const HOME = /^~|[=:]~/;

/** Whether no character of a word means anything but itself. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** The value after quote removal, or null when anything but quotes and escapes is involved. */
export function literalValue(word: Word): string | null {
  if (isPlain(word.text)) return word.text;
  if (word.text.includes('~') && (word.text.startsWith('~') || (word.parts ?? [word]).some(isHome))) return null;
  if (word.parts === undefined) return word.value;
  let value = '';
  for (const part of word.parts) {
    const piece = literalPart(part);
    if (piece === null) return null;
    value += piece;
  }
  return value;
}

function isHome(part: Word | WordPart): boolean {
  return (part.type === 'Word' || part.type === 'Literal') && HOME.test(part.text);
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

/** A number, or the name of a pipe. */
function isNoOption(part: WordPart): boolean {
  return isNumber(part) || part.type === 'ProcessSubstitution';
}

/** A number, which is one word and no option. */
function isNumber(part: WordPart): boolean {
  return part.type === 'SimpleExpansion' && (part.text === '$?' || part.text === '$#');
}

/** Whether an unquoted expansion may make several words of it; those of a glob or a brace all begin like the word itself. */
function splits(word: Word): boolean {
  return !(word.parts ?? []).every((part) => {
    if (part.type === 'Glob' || part.type === 'ProcessSubstitution') return true;
    if (part.type === 'BraceExpansion') return !/[$`]/.test(part.text);
    return isOneWord(part);
  });
}

/** Double quotes keep an expansion one word, except `$@` and `[@]`. */
function isQuotedWhole(word: Word): boolean {
  return (word.parts ?? []).every(isOneWord);
}

function isOneWord(part: WordPart): boolean {
  if (literalPart(part) !== null || isNumber(part)) return true;
  return part.type === 'DoubleQuoted' && !MANY_WORDS.test(part.text);
}
