import type { ScalarAnswer } from '../../answer.js';
import type { LeafTarget, ListTarget } from '../../compile/target.js';
import type { Reading, Scope } from '../../reading.js';
import type { ListFinder, ListProposal } from '../list-finder.js';
import { foundBy, sectionsIn } from './entries-finder.js';
import type { FlowLine } from './flow.js';
import { NO_ITEMS, saidAnswer } from './said-answer.js';
import { SpanText, trimmed, type Part } from './span-text.js';

/** Words of a thing that is named among others in one line. */
const SHORT = 6;
const INDENT = 0.008;

/** Texts that are named one after the other under a heading: in points, in lines, or divided by marks. */
export const enumerationFinder: ListFinder = {
  name: 'enumeration',
  find(list: ListTarget, scope: Scope, reading: Reading): ListProposal | null {
    const { item } = list;
    if (item.kind !== 'leaf' || item.valueKind === 'email' || item.valueKind === 'uri' || item.valueKind === 'phone')
      return null;
    const found = sectionsIn(list, scope, reading);
    const items = found.flatMap(({ section, likeness }) =>
      pointsOf(section.lines).flatMap((lines) =>
        named(item, lines, { reading, foundBy: foundBy(section), find: likeness }),
      ),
    );
    if (items.length === 0) return null;
    return { answer: { ...NO_ITEMS, items }, likelihood: Math.max(...found.map(({ likeness }) => likeness)) };
  },
};

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
      else if (goesOn(line, open)) open.push(line);
      else points.push([line]);
    } else if (line.mark !== '') points.push([line]);
    else if (open !== undefined && line.left > (open[0]?.left ?? 0) + INDENT && isContinued(line, open))
      open.push(line);
  }
  return points;
}

/** A line that ends within a thing goes on. */
function goesOn(line: FlowLine, open: readonly FlowLine[]): boolean {
  const last = open.at(-1);
  return last !== undefined && (/[,;|(–—-]$/u.test(last.text) || /^[\p{Ll}|;,]/u.test(line.text) || last.right > 0.8);
}

/** A heading of a group that recognition put at the indent of its points begins a new thing and has none after it. */
function isContinued(line: FlowLine, open: readonly FlowLine[]): boolean {
  const last = open.at(-1);
  return last !== undefined && line.top - last.top < 2 * last.height + 0.02;
}
