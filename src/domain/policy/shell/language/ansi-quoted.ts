import type { Scanner } from './scanner.js';

const LETTERS: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\x1b',
  E: '\x1b',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};
/** Exactly two digits, exactly four, or three octal ones, so that no digit after them can be counted in. */
const CODE = /x([0-7][0-9A-Fa-f])(?![0-9A-Fa-f])|u([0-9A-Fa-f]{4})(?![0-9A-Fa-f])|([01][0-7]{2})/y;

/** NUL, which ends a string, and the two characters that bash uses for itself. */
const UNKEPT = new Set([0, 1, 127]);

/** Reads the rest of `$'…'` and gives its value. */
export function readAnsiQuoted(scan: Scanner): string {
  let value = '';
  while (!scan.take("'")) {
    if (scan.char === '') scan.refuse('a quote that does not end');
    if (scan.char === '\\') {
      scan.at++;
      value += escaped(scan);
    } else {
      value += scan.char;
      scan.at++;
    }
  }
  return value;
}

function escaped(scan: Scanner): string {
  const { char } = scan;
  if (Object.hasOwn(LETTERS, char)) {
    scan.at++;
    return LETTERS[char]!;
  }
  const code = scan.match(CODE);
  if (code === null) scan.refuse(`the escape \`\\${char}\` in \`$'…'\``);
  const value = String.fromCharCode(code[3] === undefined ? parseInt(code[1] ?? code[2]!, 16) : parseInt(code[3], 8));
  if (UNKEPT.has(value.charCodeAt(0)) || !value.isWellFormed())
    scan.refuse(`an escape in \`$'…'\` that bash may not keep`);
  return value;
}
