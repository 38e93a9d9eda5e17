import type { WordRange } from '../../model/reading.js';
import type { Segment } from '../series/column-header.js';
import type { BlockLine } from './author-block.js';

/** Words with their place. */
interface Piece {
  raw: string;
  at: WordRange[];
}

/** Somebody who is named below a title. */
export interface Author {
  name: Piece;
  email: Piece | null;
  affiliation: Piece | null;
}

const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,6}\p{L}{2,24}/u;
const ORGANIZATION =
  /\b(?:univ|college|institut|school|academ|depart|facult|laborator|labs?\b|cent(?:er|re)|research|inc\b|corp|company|ltd|gmbh|hospital|technolog|polytech|street|road|avenue|campus)/iu;
const TOKEN = /^\.?\p{Lu}[\p{L}'’.-]*\.*$|^\.+$|^(?:de|van|von|der|den|da|di|la|le|del|bin|ibn|al|dos)$/u;
/** Signs that point to a note or an affiliation. */
const NOTE = /[\d,*∗†‡§¶#]+$/u;

/** The authors that a block names, each with the address and the affiliation that stand below the name or are marked as its own. */
export function authorsOf(lines: readonly BlockLine[]): Author[] {
  const isGrid = lines.filter(({ segments }) => segments.length > 1 && segments.every(isOneName)).length > 0;
  return isGrid ? fromGrid(lines) : fromRows(lines);
}

const isOneName = ({ text }: Segment): boolean => namesIn({ text }).length === 1;

/** Names beside each other with their addresses below them. */
function fromGrid(lines: readonly BlockLine[]): Author[] {
  const authors: { author: Author; center: number; top: number; more: Segment[] }[] = [];
  for (const { top, segments } of lines) {
    for (const segment of segments) {
      const center = (segment.left + segment.right) / 2;
      const [name] = isOneName(segment) ? namesIn(segment) : [];
      if (name === undefined) above(authors, center)?.more.push(segment);
      else
        authors.push({
          author: { name: pieceOf(segment, name), email: null, affiliation: null },
          center,
          top,
          more: [],
        });
    }
  }
  return authors.map(({ author, more }) => ({
    name: author.name,
    email: emailIn(more),
    affiliation: joined(more.filter(({ text }) => !EMAIL.test(text))),
  }));
}

/** The nearest name above, of those in one line. */
function above<T extends { center: number; top: number }>(authors: readonly T[], center: number): T | undefined {
  const last = Math.max(...authors.map(({ top }) => top));
  const distance = (one: T): number => Math.abs(one.center - center);
  const near = authors.filter(({ top }) => last - top < 0.02);
  return [...near].sort((one, other) => distance(one) - distance(other))[0];
}

/** Names in rows, divided by commas, and below them what they have in common. */
function fromRows(lines: readonly BlockLine[]): Author[] {
  const segments = lines.flatMap((line) => line.segments);
  const named = segments.map((segment) => ({ segment, names: namesIn(segment) }));
  const first = named.findIndex(({ names }) => names.length > 0);
  const rows = first < 0 ? [] : named.slice(first);
  const end = rows.findIndex(({ names }) => names.length === 0);
  const rest = (end < 0 ? [] : rows.slice(end)).map(({ segment }) => segment);
  const emails = rest.flatMap((segment) => emailIn([segment]) ?? []);
  const authors = rows
    .slice(0, end < 0 ? rows.length : end)
    .flatMap(({ segment, names }) => names.map((name) => ({ segment, name })));
  return authors.map(({ segment, name }, index) => ({
    name: pieceOf(segment, name),
    email: emails.length === authors.length ? (emails[index] ?? null) : null,
    affiliation: affiliationOf(name, rest),
  }));
}

/** The line that has the number of a name, else the only one. */
function affiliationOf({ note }: Name, lines: readonly Segment[]): Piece | null {
  const places = lines.filter(({ text }) => ORGANIZATION.test(text) && !EMAIL.test(text));
  const number = /\d/u.exec(note)?.[0];
  const marked = number === undefined ? undefined : places.find(({ text }) => text.startsWith(number));
  const place = marked ?? places[0];
  if (place === undefined) return null;
  const skipped = /^[\d*†‡]\s+/u.exec(place.text)?.[0].length ?? 0;
  const raw = withoutPost(place.text.slice(skipped));
  const first = place.at.first + (skipped > 0 ? 1 : 0);
  const last = raw.length + skipped === place.text.length ? place.at.last : first + raw.split(' ').length - 1;
  return { raw, at: [{ ...place.at, first, last }] };
}

/** An organization is not where its letters go: what stands behind its name and ends in a code of the post is left out. */
function withoutPost(place: string): string {
  const [name = '', ...rest] = place.split(', ');
  return ORGANIZATION.test(name) && /(?:^|\s)\d{4,6}(?:-\d{4})?\.?$/u.test(rest.at(-1) ?? '') ? name : place;
}

interface Name {
  text: string;
  /** What points to notes behind it. */
  note: string;
  /** Its words in the segment, `last` included. */
  first: number;
  last: number;
}

/** The names that a line is made of; none where it is made of anything else. */
function namesIn({ text }: Pick<Segment, 'text'>): Name[] {
  if (ORGANIZATION.test(text) || /@/u.test(text)) return [];
  const names: Name[] = [];
  let open: { words: string[]; first: number } | null = null;
  const close = (last: number): boolean => {
    if (open === null) return true;
    const said = open.words.join(' ');
    const note = NOTE.exec(said)?.[0] ?? '';
    const name = said.slice(0, said.length - note.length).replace(/[\s,]+$/u, '');
    if (!isName(name)) return false;
    names.push({ text: name, note, first: open.first, last });
    open = null;
    return true;
  };
  for (const [index, word] of text.split(' ').entries()) {
    if (/^(?:and|&)$/u.test(word) || /^[,;*∗†‡§¶\d]+$/u.test(word)) {
      if (!close(index - 1)) return [];
      continue;
    }
    open ??= { words: [], first: index };
    open.words.push(word);
    if (/[,;]$/u.test(word) && !close(index)) return [];
  }
  return close(text.split(' ').length - 1) ? names : [];
}

function isName(said: string): boolean {
  const tokens = said.split(' ');
  return tokens.length >= 2 && tokens.length <= 7 && said.length <= 40 && tokens.every((token) => TOKEN.test(token));
}

function pieceOf({ at }: Segment, { text, first, last }: Name): Piece {
  return { raw: text, at: [{ ...at, first: at.first + first, last: at.first + last }] };
}

function emailIn(segments: readonly Segment[]): Piece | null {
  for (const { text, at } of segments) {
    const raw = EMAIL.exec(text)?.[0];
    if (raw !== undefined && !text.includes('{')) return { raw, at: [at] };
  }
  return null;
}

function joined(segments: readonly Segment[]): Piece | null {
  if (segments.length === 0) return null;
  return { raw: segments.map(({ text }) => text).join(' '), at: segments.map(({ at }) => at) };
}
