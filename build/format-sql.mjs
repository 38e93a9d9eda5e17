import { scanSync } from 'libpg-query';

const COMMENT = 'SQL_COMMENT';
const NO_SPACE_BEFORE = new Set([',', ';', ')', ']']);
const NO_SPACE_AFTER = new Set(['(', '[']);

/**
 * The text with the layout of this project: words that are not quoted in small letters, one space where there are more, none inside
 * brackets, at most one empty line, bodies in dollar quotes alike. Where lines end, and how far they are indented, stays as it was
 * written.
 *
 * @param text SQL whose module `libpg-query` was loaded before
 */
export function formatSql(text) {
  const source = Buffer.from(text);
  let out = '';
  let last = { end: 0, text: '' };
  for (const { start, end, tokenName, keywordKind } of scanSync(text).tokens) {
    const token = { end, text: written(source.subarray(start, end).toString(), tokenName, keywordKind) };
    out += between(source.subarray(last.end, start).toString(), last.text, token.text) + token.text;
    last = token;
  }
  return `${out.trimStart()}\n`;
}

function written(text, tokenName, keywordKind) {
  if (tokenName === 'SCONST' && text.startsWith('$')) return dollarQuoted(text);
  if (tokenName === COMMENT) return text.trimEnd();
  const isWord = keywordKind !== 0 || (tokenName === 'IDENT' && !text.startsWith('"'));
  return isWord ? text.toLowerCase() : text;
}

/** Code between dollar signs keeps the white space at its ends, which says whether it stands on lines of its own. */
function dollarQuoted(text) {
  const [quote] = /^\$\w*\$/.exec(text);
  const body = text.slice(quote.length, -quote.length);
  if (body.trim() === '') return text;
  const [, before, after] = /^(\s*)[^]*?(\s*)$/.exec(body);
  return quote + between(before, '', '') + formatSql(body).trimEnd() + between(after, '', '') + quote;
}

function between(gap, before, after) {
  const lines = gap.split('\n').length - 1;
  if (lines > 0) return '\n'.repeat(Math.min(lines, 2)) + gap.slice(gap.lastIndexOf('\n') + 1);
  if (NO_SPACE_BEFORE.has(after) || NO_SPACE_AFTER.has(before)) return '';
  if (before === ',') return ' ';
  return gap === '' ? '' : ' ';
}
