/**
 * How a number may be meant: `1.234` is one thousand two hundred and thirty-four or a little more than one. A reading is the number
 * without grouping and without zeros that say nothing, so `1.234,50`, `1,234.5` and `1234.50` have one in common.
 */
const SPELLING = /^\d+(?:[.,'’]\d+)*$/u;

/** Digits beyond which a text of digits is a code. */
const MOST_DIGITS = 30;

/** Every reading of a number as it is written, without signs and units; none where it is no number. */
export function readNumber(written: string): string[] {
  if (!SPELLING.test(written) || written.length > MOST_DIGITS) return [];
  const separators = written.match(/[.,'’]/gu) ?? [];
  const groups = written.split(/[.,'’]/u);
  const readings = new Set<string>();
  if (separators.length === 0 || isGrouped(groups, separators)) readings.add(canonical(groups.join(''), ''));
  const decimal = separators.at(-1);
  if ((decimal === '.' || decimal === ',') && hasOneDecimal(groups, separators)) {
    readings.add(canonical(groups.slice(0, -1).join(''), groups.at(-1) ?? ''));
  }
  return [...readings];
}

/** The reading of a number times a power of ten, as of `2.5 million`. */
export function scaleNumber(reading: string, zeros: number): string {
  const [whole = '', fraction = ''] = reading.split('.');
  const moved = fraction.padEnd(zeros, '0');
  return canonical(whole + moved.slice(0, zeros), moved.slice(zeros));
}

/** One separator between groups of three, or of two before the last three as in India. */
function isGrouped(groups: readonly string[], separators: readonly string[]): boolean {
  if (new Set(separators).size > 1) return false;
  const [first = '', ...rest] = groups;
  const last = rest.at(-1) ?? '';
  if (first.length > 3 || (first.startsWith('0') && rest.length > 0) || last.length !== 3) return false;
  const middle = rest.slice(0, -1);
  return (
    middle.every(({ length }) => length === 3) || (first.length <= 2 && middle.every(({ length }) => length === 2))
  );
}

/** The last separator occurs once, and what is before it is grouped or has none. */
function hasOneDecimal(groups: readonly string[], separators: readonly string[]): boolean {
  const before = separators.slice(0, -1);
  if (before.includes(separators.at(-1) ?? '')) return false;
  return before.length === 0 || isGrouped(groups.slice(0, -1), before);
}

function canonical(whole: string, fraction: string): string {
  const digits = whole.replace(/^0+(?=\d)/u, '');
  const rest = fraction.replace(/0+$/u, '');
  return rest === '' ? digits : `${digits}.${rest}`;
}
