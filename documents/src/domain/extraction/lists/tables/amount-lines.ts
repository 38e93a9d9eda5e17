import { decimalMarkOf, readNumber, type DecimalMark } from '../../values/amounts.js';
import { printedLines, type Part, type PrintedLine } from './printed-lines.js';
import { isCharge, isSum } from './row-kinds.js';
import type { Reading, Scope } from '../../model/reading.js';

/** A line that says what something is and, at its end, an amount. */
export interface AmountLine {
  line: PrintedLine;
  name: Part;
  amount: Part;
  value: number;
}

/** Lines under each other that begin and end alike, without sums, and what all of them say together. */
export interface AmountRows {
  rows: AmountLine[];
  sum: number;
  mark: DecimalMark;
}

const AMOUNT = /^[-(]?\s?(?:\p{Lu}{3}|\p{Sc}|RM)?\s?-?\d[\d.,'’\s]*[.,]\d{2}\s?\)?\s?(?:\p{Sc}|\p{Lu}{1,3})?$/u;
/** Edges of one column, in heights of a word. */
const ALIKE = 0.6;
/** Lines without an amount that may stand between rows. */
const STRANGE = 3;
const CENT = 0.005;

/** Runs of such lines, without regard to any header; a line that is further in says more of the one above. */
export function amountRows(reading: Reading, scope: Scope): AmountRows[] {
  const lines = printedLines(reading, scope);
  const mark = decimalMarkOf(lines.flatMap(({ parts }) => parts.map(({ text }) => text)));
  return runsOf(lines, mark).flatMap((run) => {
    const rows = outermost(run);
    const sum = rows.reduce((total, { value }) => total + value, 0);
    return rows.length < 2 ? [] : [{ rows, sum, mark }];
  });
}

/** Whether an amount outside of the rows says what they come to. */
export function isSummed({ rows, sum, mark }: AmountRows, reading: Reading, scope: Scope): boolean {
  const own = new Set(rows.map(({ line }) => line));
  return printedLines(reading, scope).some((line) => {
    const said = own.has(line) ? null : amountLine(line, mark);
    return said !== null && isSum(said.name.text) && Math.abs(said.value - sum) < CENT;
  });
}

function runsOf(lines: readonly PrintedLine[], mark: DecimalMark): AmountLine[][] {
  const runs: AmountLine[][] = [];
  let run: AmountLine[] = [];
  let strange = 0;
  const end = (): void => {
    if (run.length > 0) runs.push(run);
    [run, strange] = [[], 0];
  };
  for (const line of lines) {
    const said = amountLine(line, mark);
    const [first] = run;
    if (said === null) {
      strange += 1;
      const isOutside = first !== undefined && (line.parts[0]?.left ?? 0) < first.name.left - line.height * ALIKE;
      if (isOutside || strange > STRANGE) end();
    } else if (isSum(said.name.text)) end();
    else if (first !== undefined && !isBelow(run, said)) {
      end();
      run.push(said);
    } else {
      run.push(said);
      strange = 0;
    }
  }
  end();
  return runs;
}

function isBelow(run: readonly AmountLine[], { line, amount, name }: AmountLine): boolean {
  const [first] = run;
  if (first === undefined) return true;
  const isAligned = Math.abs(amount.right - first.amount.right) <= line.height * ALIKE;
  return isAligned && name.left >= first.name.left - line.height * ALIKE;
}

/** Those that begin farthest to the left, but for what is only charged on top of others. */
function outermost(run: readonly AmountLine[]): AmountLine[] {
  const left = Math.min(...run.map(({ name }) => name.left));
  return run.filter(({ name, line }) => name.left <= left + line.height * ALIKE && !isCharge(name.text));
}

function amountLine(line: PrintedLine, mark: DecimalMark): AmountLine | null {
  const [name, ...others] = line.parts;
  const amount = others.at(-1);
  if (name === undefined || amount === undefined || !AMOUNT.test(amount.text)) return null;
  if (!/\p{L}{2}/u.test(name.text) || name.text.endsWith(':') || AMOUNT.test(name.text)) return null;
  const value = readNumber(amount.text, mark)?.value;
  return value === undefined ? null : { line, name, amount, value };
}
