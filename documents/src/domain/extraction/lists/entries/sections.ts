import type { Reading } from '../../model/reading.js';
import { plainWords } from '../series/plain-words.js';
import { flowOf, type FlowLine } from './flow.js';

/** Lines under a heading. */
export interface Section {
  heading: FlowLine | null;
  /** Words of the heading, in the singular; none of what stands before the first. */
  words: readonly string[];
  lines: readonly FlowLine[];
}

/** Words of a heading at most. */
const LONGEST = 9;
/** How much larger than the text a heading is, in points. */
const LARGER = 0.9;
const NUMBERED = /^(?:\d{1,2}(?:\.\d{1,2})*\.?|[IVX]{1,5}\.|[A-Z]\.)\s+(?=\p{L})/u;

const MADE = new WeakMap<Reading, Section[]>();

/** A document by its headings: bold, larger or in capitals, whichever most of them are. */
export function sectionsOf(reading: Reading): Section[] {
  const made = MADE.get(reading);
  if (made !== undefined) return made;
  const lines = flowOf(reading);
  const sections = divide(lines, headingsIn(lines));
  MADE.set(reading, sections);
  return sections;
}

/** Whether a text is written in capitals. */
export function isInCapitals(text: string): boolean {
  const letters = text.replaceAll(/\P{L}/gu, '');
  return letters.length > 3 && letters === letters.toUpperCase() && letters !== letters.toLowerCase();
}

/** A heading without its number. */
export function headingText({ text }: FlowLine): string {
  return text.replace(NUMBERED, '').replace(/[\s:.–—-]+$/u, '');
}

function divide(lines: readonly FlowLine[], headings: ReadonlySet<FlowLine>): Section[] {
  const sections: { heading: FlowLine | null; words: string[]; lines: FlowLine[] }[] = [
    { heading: null, words: [], lines: [] },
  ];
  for (const line of lines) {
    if (headings.has(line)) sections.push({ heading: line, words: plainWords(headingText(line)), lines: [] });
    else if (line.isBeside) sections.push({ heading: null, words: [], lines: [line] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
}

/** Lines that look like headings, of the ways in which they do the strongest that several of them share. */
function headingsIn(lines: readonly FlowLine[]): ReadonlySet<FlowLine> {
  const body = commonSize(lines);
  const short = lines.filter(isShort);
  const likely = short.filter((line) => rankOf(line, body) > 0);
  return new Set(short.filter((line) => isNamedAlone(line) || (likely.includes(line) && isTop(line, likely, body))));
}

/** Some headings say by their name alone that they are one. */
function isNamedAlone(line: FlowLine): boolean {
  return /^(?:references|bibliography|literature cited|works cited|abstract|acknowledge?ments?|appendix)$/iu.test(
    headingText(line),
  );
}

function isShort({ text, mark }: FlowLine): boolean {
  const plain = text.replace(NUMBERED, '');
  return (
    (mark === '' || /^\d/u.test(mark)) &&
    plain.split(' ').length <= LONGEST &&
    /^\p{Lu}/u.test(plain) &&
    !/[,;.]$/u.test(plain)
  );
}

/** How much a line looks like a heading: in capitals, larger, bold. */
function rankOf(line: FlowLine, body: number): number {
  const capitals = isInCapitals(line.text) ? 4 : 0;
  const larger = line.size >= body + LARGER ? 2 : 0;
  return capitals + larger + (line.isBold ? 1 : 0);
}

/** Of bold lines those that are in capitals or larger, where there are several; else all. */
function isTop(line: FlowLine, likely: readonly FlowLine[], body: number): boolean {
  const rank = rankOf(line, body);
  const strong = likely.filter((one) => rankOf(one, body) >= 4).length;
  if (strong >= 2) return rank >= 4;
  return likely.filter((one) => rankOf(one, body) >= 2).length >= 2 ? rank >= 2 : rank >= 1;
}

/** The size in which most is written. */
function commonSize(lines: readonly FlowLine[]): number {
  const counts = new Map<number, number>();
  for (const { size, text } of lines) counts.set(size, (counts.get(size) ?? 0) + text.length);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? 0;
}
