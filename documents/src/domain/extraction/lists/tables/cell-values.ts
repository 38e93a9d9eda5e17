import type { JsonPrimitive } from '../../../../../../src/domain/json.js';
import type { LeafTarget } from '../../compile/target.js';
import { decimalMarkOf } from '../../values/amounts.js';
import { NORMALIZERS, type NormalizerName } from '../../values/normalizers.js';
import { isNumeric } from './found-table.js';

export interface CellValue {
  value: JsonPrimitive;
  normalizedBy: NormalizerName;
}

const TIME = /^\W*\d{1,3}(?:[:.h]\d{2}){1,3}\b/u;
const SAMPLE = 30;
/** None of these is a value: the others are none either. */
const FIRST = 5;

/** Reads the cells of a column as values of a leaf, in the spelling of numbers and days that the column has. */
export class CellValues {
  private readonly ways: readonly NormalizerName[];

  /** @param texts of the column, and those of columns beside it where it has numbers */
  constructor(
    private readonly leaf: LeafTarget,
    texts: readonly string[],
  ) {
    this.ways = waysOf(leaf, texts.slice(0, SAMPLE));
  }

  /** Null where the text is no value of the leaf. */
  read(text: string): CellValue | null {
    for (const normalizedBy of this.ways) {
      const value = NORMALIZERS[normalizedBy](text, this.leaf.node);
      if (value !== null) return { value, normalizedBy };
    }
    return null;
  }

  /** 0…1: how well texts fit what the leaf says of its values. */
  fit(texts: readonly string[]): number {
    const sample = texts.slice(0, SAMPLE);
    if (sample.length === 0) return 0;
    const first = sample.slice(0, FIRST);
    if (first.length === FIRST && first.every((text) => this.fitOf(text) === 0)) return 0;
    return sample.reduce((sum, text) => sum + this.fitOf(text), 0) / sample.length;
  }

  fitOf(text: string): number {
    if (this.read(text) === null) return 0;
    return looksLike(this.leaf, text);
  }
}

function waysOf({ node, valueKind }: LeafTarget, texts: readonly string[]): NormalizerName[] {
  const has = (type: string): boolean => node.rules.some((rule) => rule.type === type);
  if (node.rules.some(({ values }) => values !== null)) return ['choice', 'verbatim'];
  const number: NormalizerName = decimalMarkOf(texts) === ',' ? 'number_comma' : 'number';
  const isUsual = dayOrder(texts) === 'day';
  const last: NormalizerName[] = has('string') ? ['verbatim'] : [];
  if (has('boolean')) return ['truth', ...last];
  if (has('integer') || has('number')) return [number, ...last];
  const isStrict = node.rules.every(({ format }) => format !== null);
  const loose = isStrict ? [] : last;
  if (valueKind === 'date') return [isUsual ? 'date_day_first' : 'date_month_first', ...loose];
  if (valueKind === 'date-time') return [isUsual ? 'moment_day_first' : 'moment_month_first', ...loose];
  if (valueKind === 'time') return ['time', ...loose];
  return last;
}

/** Which number of `3/4/2024` is the day: what the other days of the column say. */
function dayOrder(texts: readonly string[]): 'day' | 'month' {
  let month = 0;
  for (const text of texts) {
    const [, first, second] = /^\D*(\d{1,2})[/.-](\d{1,2})[/.-]\d{2,4}/u.exec(text) ?? [];
    if (first === undefined || second === undefined) continue;
    if (Number(first) > 12) month -= 1;
    if (Number(second) > 12) month += 1;
  }
  return month > 0 ? 'month' : 'day';
}

/** What a text of the kind looks like, apart from whether it can be read as one. */
function looksLike({ valueKind, node }: LeafTarget, text: string): number {
  const words = text.split(' ').length;
  const isNumberType = node.rules.every(({ type }) => type === 'number' || type === 'integer');
  switch (valueKind) {
    case 'money':
    case 'number':
    case 'integer':
      return isNumeric(text) || /^\W*[\d.,]+\W*(\p{L}{1,6}\W*){0,2}$/u.test(text) ? 1 : isNumberType ? 0.2 : 0.4;
    case 'percent':
      return text.includes('%') ? 1 : isNumeric(text) ? 0.7 : 0.1;
    case 'date':
    case 'date-time':
      return /\d/u.test(text) && words <= 5 ? 1 : 0.1;
    case 'time':
      return TIME.test(text) ? 1 : 0.3;
    case 'email':
      return text.includes('@') ? 1 : 0;
    case 'phone':
      return (text.match(/\d/gu)?.length ?? 0) >= 5 ? 1 : 0.1;
    case 'uri':
      return /\p{L}\.\p{L}/u.test(text) ? 1 : 0.1;
    case 'boolean':
      return 1;
    case 'identifier':
      return words <= 3 && /\d/u.test(text) ? 1 : words <= 2 ? 0.6 : 0.2;
    case 'text':
      return isNumeric(text) || /^\d+\/\d+$/u.test(text) ? 0.25 : 1;
  }
}
