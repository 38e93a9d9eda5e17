/** Characters that steer or hide without being control characters: formats, separators, private and blank letters, selectors. */
export const HIDDEN = String.raw`[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Co}\u{115F}\u{1160}\u{3164}\u{FFA0}\u{2800}]|\u{034F}|[\u{FE00}-\u{FE0F}]|[\u{180B}-\u{180F}]|[\u{E0100}-\u{E01EF}]`;

/**
 * Characters that make a terminal do or show something else than the text says: C0 and C1 controls, DEL, bidirectional
 * controls, zero-width and other format characters, line and paragraph separators, lone surrogates, tags, variation selectors that
 * hide text, and interlinear marks (docs/design/terminal.md).
 */
const UNSAFE = new RegExp(`\\p{Cc}|${HIDDEN}`, 'gu');

/** More combining marks than any language puts on one letter would cover the lines above and below. */
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** One line of foreign text, safe to print: whatever could steer the terminal or hide itself is written as an escape. */
export function inline(text: string): string {
  return text.replace(UNSAFE, escapeCharacter).replace(STACKED_MARKS, '$1');
}

/** Foreign text of several lines: line feeds and tabs stay, everything else as `inline`. */
export function block(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.split('\t').map(inline).join('\t'))
    .join('\n');
}

/** `inline`, cut to a number of characters. */
export function short(text: string, length: number): string {
  const safe = inline(text);
  const characters = [...safe];
  return characters.length <= length ? safe : `${characters.slice(0, Math.max(1, length - 1)).join('')}…`;
}

/**
 * One line of safe text as rows that a terminal of `width` columns does not wrap by itself: a wrapped row begins at the edge, where
 * only we may write. What is not ASCII counts as two columns, because terminals differ.
 */
export function wrap(line: string, width: number): string[] {
  const rows: string[] = [];
  let row = '';
  let taken = 0;
  for (const character of line) {
    const wide = character.length > 1 || character > '\u007e' ? 2 : 1;
    if (taken + wide > width && row !== '') {
      rows.push(row);
      row = '';
      taken = 0;
    }
    row += character;
    taken += wide;
  }
  return [...rows, row];
}

/** Columns that the text takes: wide characters count twice, marks not at all. */
export function columns(text: string): number {
  return [...text].reduce((sum, character) => sum + widthOf(character), 0);
}

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e', '\0': '\\0' };

function escapeCharacter(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return NAMED[character] ?? `\\u{${point.toString(16)}}`;
}

function widthOf(character: string): number {
  if (/\p{M}/u.test(character)) return 0;
  return /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u{FF01}-\u{FF60}]|\p{Emoji_Presentation}/u.test(
    character,
  )
    ? 2
    : 1;
}
