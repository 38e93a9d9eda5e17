import type { Label, LeafTarget } from '../compile/target.js';
import { wordsOfLabel } from '../compile/label-words.js';
import { ROLES_BY_LABEL, tellingWords } from '../compile/roles.js';
import type { DocumentIndex } from './document-index.js';
import type { TextBlock } from './text-block.js';

/** A place where a document prints a label. */
export interface LabelHit {
  label: Label;
  block: TextBlock;
  /** Where it stands in the text of its block. */
  from: number;
  to: number;
  /** Characters of its words: the longer, the less by chance. */
  length: number;
  /** Words of its block before it, and between it and a mark or a value behind it, that belong to the label as printed and not to the one sought. */
  foreign: number;
  /** Such words that change little, as `net`, `amount` or a currency. */
  neutral: number;
  /** Whether a colon, a number sign or dots follow. */
  isMarked: boolean;
  /** Whether its block begins with it. */
  isFirst: boolean;
  /** Whether it is a part of a label that names something else, as `total` in `total tax`. */
  isRival: boolean;
}

/** Words in labels that leave open which value is meant. */
const NEUTRAL: ReadonlySet<string> = new Set(
  (
    'of the a an and or in on for by to at is your our this us amount sale value sum number name inclusive including incl included inc payable ' +
    'eur usd gbp rm chf inr cad aud final current new de la le du der die das den del di rounded due pay with'
  ).split(' '),
);
const NUMBERS: ReadonlySet<string> = new Set('number id registration code'.split(' '));
/** Places of one label that are looked at: a word that stands everywhere labels nothing. */
const MOST_PLACES = 400;
const RATE = /^\s*@?\s?\d{1,2}(?:[.,]\d{1,2})?\s?%(?=\s+\p{L})/u;
/** Lines of one label are no further apart, in heights of a line. */
const CLOSE = 0.7;
const OPEN =
  /(?:^|\s)(?:ohne|exkl\.?|zzgl\.?|without|excluding|exclusive|excl\.?|before|hors|sans|senza|sin|zonder|exclusief)$/iu;
/** The heading of a table of taxes, misread too, and how many lines it has. */
const TAX_SUMMARY =
  /\b(?:gst|tax|vat|sst|mwst|ust|btw|tva|iva)\s?(?:su\p{L}{1,4}ry|analysis|breakdown|specification)\b/iu;
const SUMMARY_LINES = 7;
const MARK = /^\s*(?:[:#=]|\.{3,}|[-–—]\s)/u;

/** Where a document prints the labels of a value inside a range of blocks, in reading order. */
export function findLabels(
  target: LeafTarget,
  index: DocumentIndex,
  isInside: (block: TextBlock) => boolean,
): LabelHit[] {
  const own = new Set([
    ...target.labels.flatMap(({ words }) => words),
    ...tellingWords(wordsOfLabel(target.description)),
  ]);
  const hits = target.labels.flatMap((label) =>
    placesOf(label, index, isInside).map((place) => hitOf(label, place, target, { own, index })),
  );
  // Of labels inside each other the longest is printed.
  return hits.filter(
    (hit) =>
      !hits.some(
        (other) =>
          other !== hit &&
          other.block === hit.block &&
          other.from <= hit.from &&
          other.to >= hit.to &&
          other.to - other.from > hit.to - hit.from,
      ),
  );
}

interface Place {
  block: TextBlock;
  from: number;
  to: number;
}

function placesOf(label: Label, index: DocumentIndex, isInside: (block: TextBlock) => boolean): Place[] {
  const words = wordsOfLabel(label.words.join(' '));
  const [first, ...rest] = words;
  if (first === undefined) return [];
  const found: Place[] = [];
  for (const at of index.placesOf(first)) {
    const start = index.words[at];
    if (start === undefined || !isInside(start.block)) continue;
    const end = index.words[at + rest.length];
    if (end?.block !== start.block || !rest.every((word, next) => index.isWord(at + next + 1, word))) continue;
    found.push({ block: start.block, from: start.from, to: end.to });
    if (found.length >= MOST_PLACES) break;
  }
  return found;
}

function hitOf(
  label: Label,
  { block, from, to }: Place,
  { role, valueKind }: LeafTarget,
  { own, index }: { own: ReadonlySet<string>; index: DocumentIndex },
): LabelHit {
  const before = phraseBefore(block.text, from) || openedAbove(block, from, index);
  const behind = phraseBehind(block.text, to);
  const around = wordsOfLabel(`${before} ${behind.words}`).filter((word) => !/^\p{N}+$/u.test(word));
  const foreign = around.filter((word) => !NEUTRAL.has(word) && !own.has(word)).length;
  return {
    ...{ label, block, from, to, foreign, neutral: around.length - foreign, length: to - from },
    isMarked: behind.isMarked,
    isFirst: block.text.slice(0, from).trim() === '',
    isRival:
      isNumberOf(behind.words, valueKind) ||
      (role === 'total' && isInTaxSummary(block, index)) ||
      isRival(wordsOfLabel(before), wordsOfLabel(block.text.slice(from, to)), wordsOfLabel(behind.words), role),
  };
}

/** `company no.` names a number and no company. */
function isNumberOf(behind: string, kind: LeafTarget['valueKind']): boolean {
  return (
    kind === 'text' &&
    wordsOfLabel(behind)
      .slice(0, 2)
      .some((word) => NUMBERS.has(word))
  );
}

/** Whether words around a label make a longer one of it, or the label itself is one, that is known to name something else. */
function isRival(
  before: readonly string[],
  own: readonly string[],
  behind: readonly string[],
  role: string | null,
): boolean {
  for (let from = Math.max(0, before.length - 3); from <= before.length; from += 1) {
    for (let to = Math.min(3, behind.length); to >= 0; to -= 1) {
      const roles = ROLES_BY_LABEL.get([...before.slice(from), ...own, ...behind.slice(0, to)].join(' '));
      if (roles !== undefined) return role !== null ? !roles.has(role) : from < before.length || to > 0;
    }
  }
  return false;
}

/** Words of the same phrase before a label: back to a mark or a number. */
function phraseBefore(text: string, from: number): string {
  return (
    text
      .slice(Math.max(0, from - 40), from)
      .split(/[:;,.|()\d]|\s[-–—]\s/u)
      .at(-1) ?? ''
  );
}

/** A table of taxes by their rates has totals of its own, without what is not taxed. */
function isInTaxSummary(block: TextBlock, { blocks }: DocumentIndex): boolean {
  for (let at = block.index - 1; at >= 0; at -= 1) {
    const above = blocks[at];
    if (
      above === undefined ||
      above.pageNumber !== block.pageNumber ||
      above.firstLine < block.firstLine - SUMMARY_LINES
    )
      return false;
    if (TAX_SUMMARY.test(above.text)) return true;
  }
  return false;
}

/** `Ohne` over `MwSt.`: a word that wants another one, right above a label in its column. */
function openedAbove(block: TextBlock, from: number, { neighbours }: DocumentIndex): string {
  if (block.text.slice(0, from).trim() !== '') return '';
  const [above] = neighbours.above(block);
  const isNear = above !== undefined && block.box[1] - above.box[1] - above.box[3] <= block.lineHeight * CLOSE;
  return isNear ? (OPEN.exec(above.text)?.[0] ?? '') : '';
}

/** Words between a label and what follows it: a mark, a number or the end of the block. */
function phraseBehind(text: string, to: number): { words: string; isMarked: boolean } {
  // `Total 6% supplies:` names what it is a total of behind the rate.
  const rest = text.slice(to, to + 60).replace(RATE, ' ');
  if (MARK.test(rest)) return { words: '', isMarked: true };
  const match = /^([^:#\d$€£¥₹;|]{0,40})([:#])/u.exec(rest);
  if (match !== null) return { words: match[1] ?? '', isMarked: true };
  const words = /^[^:#\d$€£¥₹;,.|(]{0,40}/u.exec(rest)?.[0] ?? '';
  return { words: words.split(/\s+/u).slice(0, 5).join(' '), isMarked: false };
}

/** How a label names a value, for readers. */
export function sayingOfHit({ label, block, from, to }: LabelHit): string {
  return `${label.from} label "${block.text.slice(from, to)}"`;
}
