/** Nobody sees it, and no code host reads over it. */
const BREAK = '\u200b';

/** A run of text with what is escaped in it, a code span that ends on its line (by its backticks), or backticks that begin none. */
const SEGMENT = /((?:\\[!-/:-@[-`{-~]|[^`])+)|(`+)(?!`).*?[^`]\2(?!`)|`+/g;
/** Characters by their names and numbers, but for those that cannot be a part of a reference. */
const ENTITY = /&(?!(?:lt|gt|amp|quot|apos|nbsp);)(?=#?\w+;)/gi;
const ADDRESS = /(?:https?:\/\/|www\.)[^\s<]+/gi;
const NUMBER_IN_ADDRESS = /([#!]|GH\\?-)(\d)/gi;
const ADDRESS_OF_ISSUE = /(?<=\/)((?:issues|pulls?|discussions)\\?\/)(\d)/gi;
const REFERENCE = /@|[#!](?=\d)|(?<![a-z0-9])GH\\?-(?=\d)/gi;

/**
 * A line of Markdown, outside of code blocks, in which HTML and entities are shown and not obeyed, nobody is mentioned and no issue is
 * linked, however the line is written (docs/design/publishing.md). What is code stays as it is, if every reader agrees that it is.
 */
export function harmlessLine(line: string): string {
  return line.replaceAll(SEGMENT, (found: string, text: string | undefined, ticks: string | undefined) => {
    if (text !== undefined) return withoutReferences(text).replaceAll(/<(?=[a-z!?/])/gi, '&lt;');
    // They could end on another line, and what looks like code here be none.
    if (ticks === undefined) return found.replaceAll('`', '\\`');
    // In a table a code span ends with its cell.
    return found.includes('|') ? withoutReferences(found) : found;
  });
}

/** Where code begins that a cut has left without its end; null where none does. */
export function openCodeAt(line: string): number | null {
  for (const { 0: found, 1: text, 2: ticks, index } of line.matchAll(SEGMENT))
    if (found !== '' && text === undefined && ticks === undefined) return index;
  return null;
}

/** The same of references alone. An address keeps leading where it did: a digit of it is written as its code. */
export function withoutReferences(text: string): string {
  return text
    .replaceAll(ENTITY, '&amp;')
    .replaceAll(ADDRESS, (address) => address.replaceAll('@', '%40').replaceAll(NUMBER_IN_ADDRESS, '$1%3$2'))
    .replaceAll(ADDRESS_OF_ISSUE, '$1%3$2')
    .replaceAll(REFERENCE, `$&${BREAK}`);
}
