export type Delimiter = ',' | ';' | '\t' | '|';

const CANDIDATES: readonly Delimiter[] = ['\t', ';', ',', '|'];
const SAMPLE_LINES = 50;
/** Of the lines that must have as many fields as most have. */
const AGREEING = 0.9;

/** What parts the fields of a table in text form, or null when the text does not look like one. */
export function delimiterOf(sample: string): Delimiter | null {
  const lines = sample
    .split(/\r\n|\n|\r/)
    .slice(0, SAMPLE_LINES)
    .filter((line) => line.trim() !== '');
  // The last one may have been cut.
  if (lines.length > 2 && lines.length < SAMPLE_LINES && !/[\r\n]$/.test(sample)) lines.pop();
  if (lines.length < 2) return null;
  const scored = CANDIDATES.map((delimiter) => ({ delimiter, fields: agreedFields(lines, delimiter) }));
  const best = scored.reduce((a, b) => (b.fields > a.fields ? b : a));
  return best.fields >= 2 ? best.delimiter : null;
}

/** How many fields nearly all lines have; 0 when they do not agree. Quoted fields may hold the delimiter, and line ends. */
function agreedFields(lines: string[], delimiter: Delimiter): number {
  const counts = new Map<number, number>();
  let rows = 0;
  let fields = 1;
  let isQuoted = false;
  for (const line of lines) {
    for (const character of line) {
      if (character === '"') isQuoted = !isQuoted;
      else if (character === delimiter && !isQuoted) fields++;
    }
    if (isQuoted) continue;
    counts.set(fields, (counts.get(fields) ?? 0) + 1);
    rows++;
    fields = 1;
  }
  const [most, times] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), [0, 0]);
  return rows > 0 && times >= rows * AGREEING ? most : 0;
}
