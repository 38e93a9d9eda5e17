import type { ReadLine, Reading, WordRange } from '../../model/reading.js';
import { segmentsOf, type Segment } from '../series/column-header.js';
import { plainWords } from '../series/plain-words.js';
import { isInCapitals } from './sections.js';

/** A name of somebody who takes part in something, with its place. */
export interface PartyName {
  raw: string;
  at: WordRange[];
}

const COMPANY =
  /(?:^|[\s,(])(?:n\.?\s?a|inc|incorporated|llc|l\.l\.c|llp|l\.?p|ltd|limited|plc|corp|corporation|company|co|ag|s\.?a|b\.?m|n\.?v|gmbh|s\.p\.a|trust|fund|branch|association|bank|banking|insurance|securities)\.?(?=$|[\s,).])/iu;
const AS_ROLE = /(?:^|,\s|\s)as\s+(?:an?\s+|the\s+)?(.{3,80}?)[\s,.;:]*$/iu;
const ONLY_SUFFIX =
  /^(?:association|branch|n\.a\.|inc\.|incorporated|llc|l\.p\.|corporation|company|limited|plc|group limited|banking)\b/iu;
const ENDS = /^(?:among|between|by and among|dated|and\s*$|_+|table of contents|https?:)/iu;
const SUBJECT = /\b(?:commitments?|amounts?|shares?|percentages?|allocations?)\b/iu;
const IN_CAPACITY = /,?\s+in\s+(?:its|their)\s+capacit.*$/iu;
const TOTAL = /^(?:sub)?total\b/iu;
const AMOUNT = /^[$€£]|^\(?\d[\d,.]*%?\)?$/u;
/** Lines of a cover above a role, and lines of a schedule without a row. */
const MOST_ABOVE = 12;
const MOST_BETWEEN = 40;
const SAME_LEFT = 0.025;
const LONGEST = 12;
const MOST_COMPANIES = 0.8;
const EDGE = 0.03;
const ENDS_NAME = new RegExp(`${COMPANY.source}[.,]*$`, 'iu');
const MOST_OF_NAME = 3;
const SIGNED = /^by\b/iu;
const NO_PARTY = /^(?:name|title|its|date|attest|address)\b/iu;

/** Names that stand above `as <role>`, as on the cover of an agreement and where it is signed. */
export function namesAbove(role: readonly string[], lines: readonly ReadLine[], reading: Reading): PartyName[] {
  const found: PartyName[] = [];
  for (const [index, line] of lines.entries()) {
    const said = AS_ROLE.exec(/^as$/iu.test(line.text) ? `${line.text} ${lines[index + 1]?.text ?? ''}` : line.text);
    if (said?.[1] === undefined || !isRole(role, said[1])) continue;
    const own = line.text.slice(0, said.index).replace(IN_CAPACITY, '').trim();
    found.push(...(own === '' ? above(lines, index, reading) : beside(lines, index, own, reading)));
  }
  return found;
}

function isRole(role: readonly string[], said: string): boolean {
  const words = plainWords(said.split(/\s(?:for|of|to|under|in|on)\s/iu)[0] ?? '');
  return role.every((word) => words.includes(word)) && words.length <= role.length + 6;
}

/** The names between this role and the one before. */
function above(lines: readonly ReadLine[], index: number, reading: Reading): PartyName[] {
  const names: PartyName[] = [];
  for (let at = index - 1; at >= Math.max(0, index - MOST_ABOVE); at -= 1) {
    const line = lines[at];
    if (line === undefined || /^as\b/iu.test(line.text)) break;
    if (/^and\s*$/iu.test(line.text)) continue;
    if (ENDS.test(line.text) || line.text.split(' ').length > LONGEST || !isName(line.text)) break;
    names.unshift(nameOf([line], reading));
  }
  return names;
}

/** The name before the role in its line, with the line above where the name began there. */
function beside(lines: readonly ReadLine[], index: number, own: string, reading: Reading): PartyName[] {
  const [line, before] = [lines[index], lines[index - 1]];
  if (line === undefined || own.split(' ').length > LONGEST) return [];
  const words = own.split(' ').length;
  const part = { ...line, last: line.first + words - 1 };
  if (ONLY_SUFFIX.test(own) && before !== undefined && before.pageNumber === line.pageNumber) {
    return [nameOf([before, part], reading)];
  }
  return isName(own) ? [nameOf([part], reading)] : [];
}

function isName(text: string): boolean {
  return (COMPANY.test(text) || isInCapitals(text)) && /^\p{Lu}|^\d\p{Lu}/u.test(text);
}

function nameOf(ranges: readonly WordRange[], reading: Reading): PartyName {
  const at = ranges.map(({ pageNumber, first, last }) => ({ pageNumber, first, last }));
  return {
    raw: reading
      .textOf(at)
      .replace(/(?:,?\s+and)?[\s,;]+$/iu, '')
      .replace(/,?\s+and$/iu, ''),
    at,
  };
}

/** Names in a schedule that has a column for who, and one for how much each has. */
export function namesInSchedule(role: readonly string[], lines: readonly ReadLine[], reading: Reading): PartyName[] {
  let best: PartyName[] = [];
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1]?.text ?? '';
    const length = isHeader(role, line.text) ? 1 : isHeader(role, `${line.text} ${next}`) ? 2 : 0;
    if (length === 0) continue;
    const rows = rowsBelow(lines.slice(index + length), reading);
    const companies = rows.filter(({ raw }) => COMPANY.test(raw));
    // Where most are companies, those that do not say so are too.
    const names = companies.length >= MOST_COMPANIES * rows.length ? rows : companies;
    if (names.length > best.length) best = names;
  }
  return best;
}

function isHeader(role: readonly string[], text: string): boolean {
  const words = plainWords(text);
  const who = role.at(-1) ?? '';
  const isAsked = words.includes(who) || (who === 'lender' && words.includes('bank'));
  return words.length <= LONGEST && isAsked && SUBJECT.test(text) && /^\p{Lu}/u.test(text) && !/[.;:]$/u.test(text);
}

function rowsBelow(lines: readonly ReadLine[], reading: Reading): PartyName[] {
  const rows: { segments: Segment[]; hasAmount: boolean }[] = [];
  let [left, between] = [-1, 0];
  for (const line of lines) {
    const segments = segmentsOf(line, reading);
    const [first] = segments;
    if (first === undefined || between > MOST_BETWEEN || endsRows(first.text, segments.length)) break;
    const hasAmount = segments.slice(1).some(({ text }) => AMOUNT.test(text));
    if (left < 0 && (hasAmount || COMPANY.test(first.text))) left = first.left;
    between += 1;
    if (left < 0 || Math.abs(first.left - left) > SAME_LEFT || !/^\p{Lu}/u.test(first.text)) continue;
    const open = rows.at(-1);
    if (hasAmount || open?.hasAmount !== true) {
      rows.push({ segments: [first], hasAmount });
      between = 0;
    } else open.segments.push(first);
  }
  const amounts = rows.filter(({ hasAmount }) => hasAmount).length;
  return rows
    .filter(({ hasAmount }) => hasAmount || amounts === 0)
    .map(({ segments }) =>
      nameOf(
        segments.map(({ at }) => at),
        reading,
      ),
    )
    .filter(({ raw }) => isProper(raw));
}

/** A total and a sentence stand below all rows. */
function endsRows(text: string, segments: number): boolean {
  return TOTAL.test(text) || (segments === 1 && text.split(' ').length > LONGEST);
}

/** A name has its words in capitals or with a capital, but for small ones. */
function isProper(name: string): boolean {
  return name.split(' ').every((word) => word.length < 4 || !/^\p{Ll}/u.test(word));
}

/** Names of those who sign under a heading that says what they are, each above the line where somebody signs for it. */
export function namesSigned(role: readonly string[], lines: readonly ReadLine[], reading: Reading): PartyName[] {
  const start = lines.findLastIndex(({ text }) => isHeadingOf(role, text));
  if (start < 0) return [];
  const names: PartyName[] = [];
  let open: ReadLine[] = [];
  let closed: PartyName[] = [];
  for (const line of lines.slice(start + 1)) {
    const { text, box } = line;
    if (box[1] < EDGE || box[1] > 1 - EDGE) continue;
    if (open.at(-1)?.pageNumber !== line.pageNumber) open = [];
    if (SIGNED.test(text)) names.push(...closed);
    if (SIGNED.test(text) || NO_PARTY.test(text)) [open, closed] = [[], []];
    else {
      open.push(line);
      if (!ENDS_NAME.test(text)) continue;
      const name = nameOf(open.slice(-MOST_OF_NAME), reading);
      if (isProper(name.raw)) closed.push(name);
      open = [];
    }
  }
  return names;
}

function isHeadingOf(role: readonly string[], text: string): boolean {
  const words = plainWords(text);
  return words.length <= role.length + 1 && role.every((word) => words.includes(word)) && /s:?$/iu.test(text.trim());
}
