import { trimmed, type Part } from './span-text.js';

/** The parts of a reference, as `A. Author, Title, Venue, 2019.` */
export interface ReferenceParts {
  authors: Part | null;
  names: Part[];
  title: Part | null;
  venue: Part | null;
  year: Part | null;
  id: Part | null;
  link: Part | null;
}

const KEY = /^\s*\[[^\]]{1,40}\]\s*/u;
const YEAR_IN_BRACKETS = /\(\s?((?:1[6-9]|20)\d{2})[a-z]?(?:,[^)]{1,20})?\s?\)/u;
const YEAR_BETWEEN = /[.,]\s((?:1[6-9]|20)\d{2})[a-z]?\s?\.\s/u;
const ANY_YEAR = /(?<![\d.:/-])((?:1[89]|20)\d{2})(?![\d:/-])/gu;
const QUOTED = /["“«]([^"”»]{6,300})["”»]/u;
const STARRED = /\*([^*]{6,300})\*/u;
const ID = /\barXiv:\s?\d{4}\.\d{4,5}(?:v\d+)?|\b10\.\d{4,9}\/[^\s,;]{2,80}/iu;
const LINK = /https?:\/\/[^\s,;]{4,200}/u;
/** After these and after initials a full stop ends nothing. */
const ABBREVIATED =
  /(?:^|[\s(.])(?:\p{Lu}|al|eds?|vol|no|pp|proc|trans|int|conf|j|dr|st|jr|sr|univ|dept|inc|rev|sci|symp|assoc|am|et)\s?$/iu;
const END = /\s?[.?!](?=\s|$)/gu;
const AFTER_VENUE =
  /,?\s*(?:\bvol\b|\bvolume\b|\bpp\b|\bpages?\b|\bno\b)\.?\s|,?\s\d+(?!\d*(?:st|nd|rd|th)\b)|\s?\(\d|\s?\[|,\s(?:ed|eds|editors?)\b/iu;
const NO_NAME = /^(?:et\s+al|eds?|editors?|others)\.?$/iu;
const INITIALS = /^(?:\p{Lu}\p{M}?\s?\.?[\s-]*){1,4}$/u;

const NAME_AND_INITIALS =
  /(?:(?:de|van|von|der|del|di|da|le)\s)?\p{Lu}[\p{L}'’-]+(?:\s\p{Lu}[\p{L}'’-]+)?,\s(?:\p{Lu}(?:\s?\.|(?![\p{L}\p{N}'’]))[\s-]?){1,4}(?:\([Ee]ds?\s?\.\)\s?)?(?:[;,]\s?)?(?:(?:&|and)\s)?/uy;
/** Those who have edited what it stands in. */
const EDITORS = /^[^()]{3,160}?(?:,\s(?:eds?|editors?)\b\.?|\(eds?\s?\.?\)),?\s/iu;

/** The parts of a reference; what is not found is null. */
export function partsOfReference(text: string): ReferenceParts {
  const start = KEY.exec(text)?.[0].length ?? 0;
  const year = yearOf(text, start);
  const title = titleOf(text, start, year);
  const authorsEnd = Math.min(title?.from ?? text.length, year !== null && year.from > start ? year.from : text.length);
  const authors = title === null && year === null ? null : authorsIn(text, start, authorsEnd);
  const said = ID.exec(text);
  const link = LINK.exec(text);
  return {
    authors,
    names: authors === null ? [] : namesIn(text, authors),
    title,
    venue: title === null ? null : venueAfter(text, Math.max(title.to, 0), year),
    year,
    id: said === null ? null : trimmed(text, said.index, said.index + said[0].replace(/\.$/u, '').length),
    link: link === null ? null : trimmed(text, link.index, link.index + link[0].replace(/[.)]$/u, '').length),
  };
}

function yearOf(text: string, start: number): Part | null {
  const rest = text.slice(start);
  const [inBrackets, between] = [YEAR_IN_BRACKETS.exec(rest), YEAR_BETWEEN.exec(rest)];
  const first = between !== null && between.index < (inBrackets?.index ?? rest.length) ? between : inBrackets;
  const match = first ?? [...rest.matchAll(ANY_YEAR)].at(-1);
  if (match?.[1] === undefined) return null;
  const from = start + match.index + match[0].indexOf(match[1]);
  return { from, to: from + match[1].length, text: match[1] };
}

function titleOf(text: string, start: number, year: Part | null): Part | null {
  for (const mark of [QUOTED, STARRED]) {
    const match = mark.exec(text);
    if (match?.[1] !== undefined) return bare(text, match.index + 1, match.index + 1 + match[1].length);
  }
  const isEarly = year !== null && year.to < text.length * 0.7;
  const from = isEarly ? afterYear(text, year) : (afterNames(text, start) ?? endOf(text, start));
  if (from === null || from >= text.length) return null;
  const last = isEarly || year === null ? text.length : year.from;
  const end = Math.min(last, endOf(text, from) ?? text.length);
  const part = bare(text, from, end);
  return part.text.length < 4 ? null : part;
}

function afterYear(text: string, { to }: Part): number {
  return to + (/^[a-z]?\s?\)?\s?[.,:]?\s*/u.exec(text.slice(to))?.[0].length ?? 0);
}

/** Where a row of names ends that have their initials after them, as `Author, A. B.; Other, C. & Third, D.`; null without such a row. */
function afterNames(text: string, start: number): number | null {
  let at = start;
  for (;;) {
    NAME_AND_INITIALS.lastIndex = at;
    const match = NAME_AND_INITIALS.exec(text);
    if (match === null) return at === start ? null : at;
    at = NAME_AND_INITIALS.lastIndex;
  }
}

/** Where the sentence ends that begins here; null where the text ends before. */
function endOf(text: string, from: number): number | null {
  for (const match of text.slice(from).matchAll(END)) {
    const at = from + match.index;
    if (!ABBREVIATED.test(text.slice(Math.max(0, at - 12), at)) && at + match[0].length < text.length)
      return at + match[0].length;
  }
  return null;
}

/** Without marks around. */
function bare(text: string, from: number, to: number): Part {
  const said = text.slice(from, to);
  const start = /^[\s"“”'*_«,.:]*/u.exec(said)?.[0].length ?? 0;
  const inner = said.slice(start).replace(/[\s"”*_»,.(]+$/u, '');
  return { from: from + start, to: from + start + inner.length, text: inner };
}

/** Characters; the time of the search grows with its third power. */
const LONGEST_EDITORS_MARK = 40;

function authorsIn(text: string, from: number, to: number): Part | null {
  const part = trimmed(text, from, to);
  const kept = Math.max(0, part.text.length - LONGEST_EDITORS_MARK);
  const end = part.text
    .slice(kept)
    .replace(/[\s(,.]*(?:\((?:eds?|editors?)[\s.]*\))?[\s(]*$/iu, (mark) => (mark.startsWith('.') ? '.' : ''));
  const said = part.text.slice(0, kept) + end;
  return said === '' || said.length > 600 ? null : { from: part.from, to: part.from + said.length, text: said };
}

/** Each name of a row of authors; initials belong to the name before them. */
function namesIn(text: string, { from, to }: Part): Part[] {
  const said = text.slice(from, to);
  const bounds = [...said.matchAll(/;\s|,?\s(?:and|&)\s|,\s/gu)];
  const names: Part[] = [];
  let start = from;
  for (const match of [...bounds, null]) {
    const end = match === null ? to : from + match.index;
    const part = bareName(text, start, end);
    const last = names.at(-1);
    if (last !== undefined && INITIALS.test(part.text))
      names[names.length - 1] = { from: last.from, to: part.to, text: text.slice(last.from, part.to) };
    else if (part.text.length > 1 && !NO_NAME.test(part.text)) names.push(part);
    start = match === null ? to : end + match[0].length;
  }
  return names;
}

function bareName(text: string, from: number, to: number): Part {
  const part = trimmed(text, from, to);
  const skipped = /^(?:and|&)\s+/u.exec(part.text)?.[0].length ?? 0;
  const name = part.text.slice(skipped).replace(/(\p{Ll}{2})\.$/u, '$1');
  return { from: part.from + skipped, to: part.from + skipped + name.length, text: name };
}

/** What stands after the title as far as numbers, without `In`. */
function venueAfter(text: string, from: number, year: Part | null): Part | null {
  const lead = /^[\s"”*_».,?!]*(?:[Ii]n:?\s+)?\*?/u.exec(text.slice(from))?.[0].length ?? 0;
  const isIn = /\b[Ii]n:?\s+\*?$/u.test(text.slice(from, from + lead));
  const start = from + lead + (isIn ? (EDITORS.exec(text.slice(from + lead))?.[0].length ?? 0) : 0);
  const rest = text.slice(start);
  const stop = AFTER_VENUE.exec(rest)?.index ?? rest.length;
  const sentence = endOf(text, start);
  const end = Math.min(
    start + stop,
    sentence ?? text.length,
    year !== null && year.from > start ? year.from : text.length,
  );
  const part = bare(text, start, end);
  return part.text.length < 3 || /^\d/u.test(part.text) ? null : { ...part, ...trimmed(text, part.from, part.to) };
}
