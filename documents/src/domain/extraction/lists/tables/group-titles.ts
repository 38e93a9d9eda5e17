import type { LeafTarget } from '../../compile/target.js';
import type { ScalarAnswer } from '../../model/answer.js';
import type { Reading, Scope } from '../../model/reading.js';
import { cellAnswer } from './cell-answer.js';
import { CellValues } from './cell-values.js';
import { HeaderSense } from './header-sense.js';
import { headerWords } from './header-words.js';
import { type Part, type PrintedLine, printedLines } from './printed-lines.js';

const NAMES = 0.45;

/** What titles over rows say of the groups that they begin. */
export class GroupTitles {
  private readonly sense: HeaderSense;
  /** Leaves that a title names before their value: other titles are none of theirs. */
  private readonly labelled = new Set<LeafTarget>();

  /** @param leaves of the groups, but for those that have a column */
  constructor(
    private readonly leaves: readonly LeafTarget[],
    private readonly reading: Reading,
  ) {
    this.sense = new HeaderSense(leaves);
  }

  /** @param isTitle whether the lines are a title as a whole, and not lines of any kind over a header */
  answers(scope: Scope, isTitle: boolean): Map<LeafTarget, ScalarAnswer> {
    const found = new Map<LeafTarget, ScalarAnswer>();
    if (this.leaves.length === 0 || scope.from >= scope.to) return found;
    const lines = printedLines(this.reading, scope);
    for (const line of lines) this.readLabelled(line, found);
    const [open, ...others] = this.leaves.filter((leaf) => !found.has(leaf) && isTextual(leaf));
    for (const leaf of found.keys()) this.labelled.add(leaf);
    const isOpen = open !== undefined && others.length === 0 && !this.labelled.has(open);
    if (isTitle && found.size === 0 && isOpen) this.readWhole(lines, open, found);
    return found;
  }

  private readLabelled({ parts }: PrintedLine, found: Map<LeafTarget, ScalarAnswer>): void {
    parts.forEach((part, at) => {
      const divided = divide(part, this.reading);
      if (divided !== null) this.take(divided.label, divided.value, divided.raw, found);
      const next = parts[at + 1];
      const isLabel = next !== undefined && divide(next, this.reading) === null;
      if (divided === null && isLabel && part.text.endsWith(':')) this.take(part.text, next, next.text, found);
    });
  }

  private take(label: string, part: Part, raw: string, found: Map<LeafTarget, ScalarAnswer>): void {
    const scores = this.sense.of(headerWords(label));
    const best = Math.max(...scores);
    const leaf = this.leaves[scores.indexOf(best)];
    if (leaf === undefined || best < NAMES || found.has(leaf)) return;
    const answer = this.answer(leaf, part, raw, best, label);
    if (answer !== null) found.set(leaf, answer);
  }

  private readWhole(lines: readonly PrintedLine[], leaf: LeafTarget, found: Map<LeafTarget, ScalarAnswer>): void {
    const [line] = lines;
    const [part] = line?.parts ?? [];
    if (part === undefined || lines.length > 2) return;
    const inside = trimmed(part, this.reading);
    const answer = this.answer(leaf, inside, inside.text, 0.5, 'title');
    if (answer !== null) found.set(leaf, answer);
  }

  private answer(leaf: LeafTarget, part: Part, raw: string, find: number, foundBy: string): ScalarAnswer | null {
    const values = new CellValues(leaf, [raw]);
    const { pageNumber, first, last } = part;
    const at = [{ pageNumber, first, last }];
    return cellAnswer({ values, raw, at, find, foundBy, isCell: false }, this.reading);
  }
}

function isTextual({ node }: LeafTarget): boolean {
  return node.rules.some(({ type }) => type === 'string');
}

interface Divided {
  label: string;
  /** The words that hold the value. */
  value: Part;
  /** The value, without a colon that is written to its first word. */
  raw: string;
}

/** `Age group: 20-24` as a label and a value. */
function divide(part: Part, reading: Reading): Divided | null {
  const words = reading.wordsOf(part);
  const at = words.findIndex(({ text }) => text.includes(':'));
  const word = words[at]?.text ?? '';
  const colon = word.indexOf(':');
  if (at < 0 || /\d:\d/u.test(word)) return null;
  const label = [...words.slice(0, at).map(({ text }) => text), word.slice(0, colon)].join(' ');
  const isGlued = colon < word.length - 1;
  const from = isGlued ? at : at + 1;
  if (from >= words.length || label.trim() === '') return null;
  const texts = words.slice(from).map(({ text }) => text);
  if (isGlued) texts[0] = word.slice(colon + 1);
  const raw = texts.join(' ');
  return { label, raw, value: { ...part, first: part.first + from, text: raw } };
}

/** A title without the marks around it. */
function trimmed(part: Part, reading: Reading): Part {
  const words = reading.wordsOf(part);
  const isWord = ({ text }: { text: string }): boolean => /[\p{L}\p{N}]/u.test(text);
  const [from, to] = [words.findIndex(isWord), words.findLastIndex(isWord)];
  if (from < 0) return part;
  const inside = words.slice(from, to + 1);
  const text = inside.map((word) => word.text).join(' ');
  return { ...part, first: part.first + from, last: part.first + to, text };
}
