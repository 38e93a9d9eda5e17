import type { ScalarAnswer } from '../../model/answer.js';
import type { LeafTarget, ListTarget } from '../../compile/target.js';
import type { Reading, Scope } from '../../model/reading.js';
import type { ListFinder, ListProposal } from '../../model/list-finder.js';
import { plainWords } from '../series/plain-words.js';
import { likenessOf } from './section-words.js';
import { sectionsOf } from './sections.js';
import { foundBy, sectionsIn } from './entries-finder.js';
import type { FlowLine } from './flow.js';
import { NO_ITEMS, saidAnswer } from './said-answer.js';
import { SpanText, trimmed, type Part } from './span-text.js';

/** Words of a thing that is named among others in one line. */
const SHORT = 6;
const INDENT = 0.008;
const LABEL = /^(\p{L}[\p{L} &/-]{2,30}?)\s?(?::|—|–)\s+(?=\S)/u;
const MOST_LINES = 6;
/** How much more a list under its heading is one where signs stand before its points. */
const OF_POINTS = 0.1;

/** Texts that are named one after the other under a heading: in points, in lines, or divided by marks. */
export const enumerationFinder: ListFinder = {
  name: 'enumeration',
  find(list: ListTarget, scope: Scope, reading: Reading): ListProposal | null {
    const { item } = list;
    if (item.kind !== 'leaf' || item.valueKind === 'email' || item.valueKind === 'uri' || item.valueKind === 'phone')
      return null;
    const found = sectionsIn(list, scope, reading);
    if (found.length === 0) return inLine(list, item, scope, reading);
    const items = found.flatMap(({ section, likeness }) =>
      pointsOf(section.lines).flatMap((lines) =>
        named(item, lines, { reading, foundBy: foundBy(section), find: likeness }),
      ),
    );
    if (items.length === 0) return null;
    const isMarked = found.every(({ section }) => section.lines.filter(({ mark }) => mark !== '').length >= 2);
    const likelihood = Math.max(...found.map(({ likeness }) => likeness)) + (isMarked ? OF_POINTS : 0);
    return { answer: { ...NO_ITEMS, items }, likelihood: Math.min(1, likelihood) };
  },
};

/** Things that follow their name in a line, as `Keywords: a, b, c`. */
function inLine(list: ListTarget, item: LeafTarget, scope: Scope, reading: Reading): ListProposal | null {
  const lines = sectionsOf(reading).flatMap((section) => section.lines);
  for (const [index, line] of lines.entries()) {
    if (line.number < scope.from || line.number >= scope.to) continue;
    const label = LABEL.exec(line.text);
    const find = label?.[1] === undefined ? 0 : likenessOf({ words: plainWords(label[1]) }, list);
    if (label === null || find === 0) continue;
    const text = new SpanText(linesFrom(lines, index), reading);
    const answers = partsOf(text.text.slice(label[0].length)).map(({ from, to, text: raw }) => {
      const at = text.rangesOf(from + label[0].length, to + label[0].length);
      return saidAnswer(item, { raw, at, foundBy: label[1] ?? '', find }, { reading });
    });
    return { answer: { ...NO_ITEMS, items: answers }, likelihood: find };
  }
  return null;
}

/** A line with those that go on with it. */
function linesFrom(lines: readonly FlowLine[], start: number): FlowLine[] {
  const taken = lines.slice(start, start + 1);
  for (const line of lines.slice(start + 1, start + MOST_LINES)) {
    const last = taken.at(-1);
    if (
      last === undefined ||
      line.mark !== '' ||
      LABEL.test(line.text) ||
      !goesOn(line, [last]) ||
      last.text.endsWith('.')
    )
      break;
    taken.push(line);
  }
  return taken;
}

interface Found {
  reading: Reading;
  foundBy: string;
  find: number;
}

/** The things that lines name together. */
export function named(item: LeafTarget, lines: readonly Pick<FlowLine, 'at'>[], found: Found): ScalarAnswer[] {
  const text = new SpanText(lines, found.reading);
  return partsOf(text.text).map(({ from, to, text: raw }) =>
    saidAnswer(item, { raw, at: text.rangesOf(from, to), foundBy: found.foundBy, find: found.find }, found),
  );
}

/** Parts between marks: bars and semicolons, else commas where what stands between them is short. */
export function partsOf(text: string): Part[] {
  for (const mark of ['|', ';', '•', '·', '●']) {
    const parts = divided(text, mark);
    if (parts.length > 1) return parts;
  }
  const parts = divided(text, ',');
  return parts.every((part) => part.text.split(' ').length <= SHORT) ? parts : divided(text, '\n');
}

/** Marks in brackets divide nothing. */
function divided(text: string, mark: string): Part[] {
  const parts: Part[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at <= text.length; at += 1) {
    const sign = text[at];
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (at < text.length && (sign !== mark || depth > 0)) continue;
    const part = trimmed(text, start, at);
    if (part.text !== '') parts.push(part);
    start = at + 1;
  }
  return parts;
}

/** Points with the lines that go on with them. Among points, lines that begin left of them are headings of their groups. */
function pointsOf(lines: readonly FlowLine[]): FlowLine[][] {
  const marked = lines.filter(({ mark }) => mark !== '').length;
  const isList = marked >= 2 && marked >= lines.length / 3;
  const points: FlowLine[][] = [];
  for (const line of lines) {
    const open = points.at(-1);
    if (!isList) {
      if (open === undefined) points.push([line]);
      else if (isOver(open)) break;
      else if (goesOn(line, open)) open.push(line);
      else points.push([line]);
    } else if (line.mark !== '') points.push([line]);
    else if (open !== undefined && line.left > (open[0]?.left ?? 0) + INDENT && isContinued(line, open))
      open.push(line);
  }
  return points;
}

/** A row that ends with a full stop is all. */
function isOver(open: readonly FlowLine[]): boolean {
  return /[,;]/u.test(open.map(({ text }) => text).join(' ')) && open.at(-1)?.text.endsWith('.') === true;
}

/** A line that ends within a thing goes on. */
function goesOn(line: FlowLine, open: readonly FlowLine[]): boolean {
  const last = open.at(-1);
  return last !== undefined && (/[,;|(–—-]$/u.test(last.text) || /^[\p{Ll}|;,(]/u.test(line.text) || last.right > 0.8);
}

/** A heading of a group that recognition put at the indent of its points begins a new thing and has none after it. */
function isContinued(line: FlowLine, open: readonly FlowLine[]): boolean {
  const last = open.at(-1);
  return last !== undefined && line.top - last.top < 2 * last.height + 0.02;
}
