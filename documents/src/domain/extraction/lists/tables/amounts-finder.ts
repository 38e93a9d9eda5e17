import type { Answer, ScalarAnswer } from '../../model/answer.js';
import { leavesOf, type LeafTarget, type ListTarget, type ObjectTarget, type Target } from '../../compile/target.js';
import type { ListFinder } from '../../model/list-finder.js';
import type { Reading } from '../../model/reading.js';
import { seriesShapeOf } from '../series/series-shape.js';
import { amountRows, isSummed, type AmountLine, type AmountRows } from './amount-lines.js';
import { ABSENT, absent, cellAnswer } from './cell-answer.js';
import { CellValues } from './cell-values.js';
import { headerWords } from './header-words.js';

/** Without a header what a column says is a guess, which the sum confirms. */
const LIKELIHOOD = 0.3;
const FIND = 0.5;
const OF_LINE: ReadonlySet<string> = new Set(['subtotal', 'total', 'amount', 'sum']);
const OF_UNIT: ReadonlySet<string> = new Set(['price', 'cost', 'charge', 'fee']);

/** Lists without a header: lines that end in amounts, which together come to a sum that is printed. */
export const amountsFinder: ListFinder = {
  name: 'amounts',
  find(list, scope, reading) {
    const leaves = amountLeaves(list);
    if (leaves === null) return null;
    const summed = amountRows(reading, scope).filter((one) => isSummed(one, reading, scope));
    const [most, ...others] = summed.toSorted((one, other) => other.rows.length - one.rows.length);
    // Of two that have as many the one is as good as the other.
    if (most === undefined || others[0]?.rows.length === most.rows.length) return null;
    const writer = new AmountRowWriter(leaves, most, reading);
    const items = most.rows.map((row) => writer.answer(list.item, row));
    const answer = { kind: 'list' as const, items, expectedRows: items.length, method: 'table_rows' as const };
    return { answer: { ...answer, missingPages: [] }, likelihood: LIKELIHOOD };
  },
};

/** What such a line answers: what it is called, and what it comes to. */
interface AmountLeaves {
  name: LeafTarget;
  amount: LeafTarget;
}

/** The leaves of items that are named and have an amount; null for items of another kind. */
export function amountLeaves(list: ListTarget): AmountLeaves | null {
  const { item } = list;
  if (item.kind !== 'object' || seriesShapeOf(list) !== null) return null;
  const leaves = leavesOf(item);
  const name = leaves.find(({ valueKind, node }) => valueKind === 'text' && node.rules.every(isOpenText));
  const amount = leaves
    .filter(({ valueKind }) => valueKind === 'money' || valueKind === 'number')
    .map((leaf) => ({ leaf, rank: amountRank(leaf) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank)[0]?.leaf;
  return name === undefined || amount === undefined ? null : { name, amount };
}

function isOpenText({ type, format, values }: LeafTarget['node']['rules'][number]): boolean {
  return type === 'string' && format === null && values === null;
}

function amountRank({ name, description }: LeafTarget): number {
  const words = [...headerWords(name), ...headerWords(description)];
  if (words.some((word) => OF_LINE.has(word))) return 2;
  return words.some((word) => OF_UNIT.has(word)) ? 1 : 0;
}

class AmountRowWriter {
  private readonly names: CellValues;
  private readonly amounts: CellValues;

  constructor(
    private readonly leaves: AmountLeaves,
    { rows }: AmountRows,
    private readonly reading: Reading,
  ) {
    this.names = new CellValues(
      leaves.name,
      rows.map(({ name }) => name.text),
    );
    this.amounts = new CellValues(
      leaves.amount,
      rows.map(({ amount }) => amount.text),
    );
  }

  answer(target: Target, row: AmountLine): Answer {
    if (target.kind === 'list') return { kind: 'list', items: [], expectedRows: null, method: null, missingPages: [] };
    return target.kind === 'leaf' ? this.leaf(target, row) : this.object(target, row);
  }

  private object({ properties }: ObjectTarget, row: AmountLine): Answer {
    return { kind: 'object', properties: new Map(properties.map((one) => [one.name, this.answer(one, row)])) };
  }

  private leaf(leaf: LeafTarget, { name, amount }: AmountLine): ScalarAnswer {
    const isName = leaf === this.leaves.name;
    if (!isName && leaf !== this.leaves.amount) return absent(ABSENT.noColumn);
    const { pageNumber, first, last, text } = isName ? name : amount;
    const values = isName ? this.names : this.amounts;
    const at = [{ pageNumber, first, last }];
    const printed = { values, raw: text, at, find: FIND, foundBy: 'lines that come to a sum', isCell: false };
    return cellAnswer(printed, this.reading) ?? absent(ABSENT.unlikeValue);
  }
}
