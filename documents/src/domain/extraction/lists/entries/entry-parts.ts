import type { Reading, WordRange } from '../../model/reading.js';
import { datesIn, type EntryDates } from './dates-of-entry.js';
import type { FlowLine } from './flow.js';
import { SpanText, trimmed, type Part } from './span-text.js';
import type { EntryLines } from './split-entries.js';

/** Words of an entry with their places. */
export interface Piece {
  raw: string;
  at: WordRange[];
}

/** What an entry says, by the order and the look of its parts. */
export interface EntryParts {
  title: Piece | null;
  organization: Piece | null;
  start: Piece | null;
  end: Piece | null;
  present: Piece | null;
  date: Piece | null;
  /** The head without its dates. */
  head: Piece | null;
  /** What stands below it. */
  body: Piece | null;
  /** Each point or line below it. */
  points: Piece[];
}

const ORGANIZATION =
  /(?:^|[\s(])(?:university|univ\.?|college|school|institutes?|institution|academy|academia|accademia|department|faculty|hospital|clinic|bank|group|inc\.?|llc|llp|ltd\.?|limited|gmbh|ag|corp\.?|corporation|company|co\.|partners|associates|holdings?|systems|solutions|technolog(?:y|ies)|labs?|laborator(?:y|ies)|museum|gallery|foundation|association|society|council|ministry|agency|consulting|services|studios?|digital|cent(?:er|re)|firm|committee|endowment|republic|library|scuola|liceo|universit[àäé]t?|universidad|hochschule|politecnico)(?=$|[\s,;:)./])/iu;
const STRONG = /\s[|–—-]\s|\s?\|\s?|\s·\s|\s•\s|;\s/gu;
const COMMA = /,\s/gu;
/** Lines that reach so far go on below. */
const FULL = 0.8;

/** The parts of an entry. */
export function partsOf({ head, body, caption }: EntryLines, reading: Reading): EntryParts {
  const text = new SpanText(head, reading);
  const dates = datesIn(text.text);
  const rest = restOf(text, dates);
  const [title, organization] = namesIn(text, rest, boundariesOf(head, text, reading));
  const points = pointsOf(body);
  const piece = (part: Part | null): Piece | null =>
    part === null || part.text === '' ? null : { raw: part.text, at: text.rangesOf(part.from, part.to) };
  return {
    title: piece(title) ?? captionOf(caption, reading),
    organization: piece(organization),
    start: piece(dates?.start ?? null),
    end: piece(dates?.end ?? null),
    present: piece(dates?.present ?? null),
    date: piece(dates === null ? null : trimmed(text.text, dates.start?.from ?? dates.whole.from, lastOf(dates))),
    head: headOf(rest, text, reading),
    body: joined(points.map((lines) => pieceOfLines(lines, reading))),
    points: points.map((lines) => pieceOfLines(lines, reading)),
  };
}

/** The words of the head but for its dates. */
function headOf(rest: readonly Part[], text: SpanText, reading: Reading): Piece | null {
  const [only, ...more] = rest;
  if (only === undefined) return null;
  const at = rest.flatMap(({ from, to }) => text.rangesOf(from, to));
  return { raw: more.length === 0 ? only.text : reading.textOf(at), at };
}

function lastOf({ start, end, present, whole }: EntryDates): number {
  return (end ?? present ?? start ?? whole).to;
}

function captionOf(caption: FlowLine | null, reading: Reading): Piece | null {
  if (caption === null) return null;
  const { text } = new SpanText([caption], reading);
  return { raw: trimmed(text, 0, text.length).text, at: [caption.at] };
}

export function pieceOfLines(lines: readonly FlowLine[], reading: Reading): Piece {
  return { raw: new SpanText(lines, reading).text, at: lines.map(({ at }) => at) };
}

function joined(pieces: readonly Piece[]): Piece | null {
  if (pieces.length === 0) return null;
  return { raw: pieces.map(({ raw }) => raw).join(' '), at: pieces.flatMap(({ at }) => at) };
}

/** The head before and after its dates. */
function restOf(text: SpanText, dates: EntryDates | null): Part[] {
  const end = text.text.length;
  const parts =
    dates === null
      ? [trimmed(text.text, 0, end)]
      : [trimmed(text.text, 0, openBefore(text.text, dates.whole.from)), afterDates(text.text, dates.whole.to)];
  return parts.filter(({ text: said }) => said !== '');
}

/** A bracket that opens right before the dates is theirs. */
function openBefore(text: string, from: number): number {
  return /\($/u.test(text.slice(0, from)) ? from - 1 : from;
}

function afterDates(text: string, to: number): Part {
  const close = /^\s?\)/u.exec(text.slice(to))?.[0].length ?? 0;
  return trimmed(text, to + close, text.length);
}

/** Ends of lines that do not go on below. */
function boundariesOf(lines: readonly FlowLine[], text: SpanText, reading: Reading): number[] {
  let end = -1;
  return lines.slice(0, -1).flatMap((line, index) => {
    end += reading.textOf([line.at]).length + 1;
    const isWrapped = line.right > FULL && lines[index + 1]?.isBold === line.isBold;
    return isWrapped || end >= text.text.length ? [] : [end];
  });
}

/** What something is called, and the organization that it was in: that which looks like one, else what comes second. */
function namesIn(text: SpanText, rest: readonly Part[], ends: readonly number[]): [Part | null, Part | null] {
  const strong = rest.flatMap((part) => splitAt(text.text, part, cutsIn(text.text, part, ends, STRONG)));
  const named = strong.findIndex(({ text: said }) => ORGANIZATION.test(said));
  if (named < 0) return [strong[0] ?? null, strong[1] ?? null];
  const own = strong[named];
  if (own === undefined) return [null, null];
  const before = strong[named - 1];
  const atoms = splitAt(text.text, own, cutsIn(text.text, own, [], COMMA));
  const first = atoms.findIndex(({ text: said }) => ORGANIZATION.test(said));
  const start = first > 0 && (atoms[first - 1]?.text ?? '') !== '' ? (atoms[first]?.from ?? own.from) : own.from;
  const organization = trimmed(text.text, start, own.to);
  const titleEnd = start > own.from ? start : (before?.to ?? own.from);
  const title = trimmed(text.text, strong[0]?.from ?? 0, titleEnd);
  if (title.text !== '') return [title, organization];
  return [strong[named + 1] ?? null, organization];
}

function cutsIn(text: string, { from, to }: Part, ends: readonly number[], separator: RegExp): number[] {
  const found = [...text.slice(from, to).matchAll(separator)].map(({ index }) => from + index);
  return [...found, ...ends.filter((end) => end > from && end < to)].sort((one, other) => one - other);
}

function splitAt(text: string, { from, to }: Part, cuts: readonly number[]): Part[] {
  const bounds = [from, ...cuts, to];
  return bounds.slice(0, -1).flatMap((start, index) => {
    const part = trimmed(text, start, bounds[index + 1] ?? to);
    return part.text === '' ? [] : [part];
  });
}

/** Points of a list with what goes on with them; lines without points are each their own. */
function pointsOf(body: readonly FlowLine[]): FlowLine[][] {
  const points: FlowLine[][] = [];
  for (const line of body) {
    const open = points.at(-1);
    const [first] = open ?? [];
    const goesOn = first !== undefined && line.mark === '' && (first.mark !== '' || (open?.at(-1)?.right ?? 0) > FULL);
    if (open !== undefined && goesOn) open.push(line);
    else points.push([line]);
  }
  return points;
}
