import { CONCEPTS, type ValueKind } from './concepts.js';

/** A noun that is known, with the words by which documents label its value. */
export interface Concept {
  kind: ValueKind;
  labels: string[];
}

const LONGEST = 4;
const COUNTS: ReadonlySet<string> = new Set(['number', 'no', 'nr', 'count']);
const BY_WORDS = readConcepts();

/** The concept of words in the singular and in small letters; null for one that is not known. */
function findConcept(words: readonly string[]): Concept | null {
  return BY_WORDS.get(words.join(' ')) ?? null;
}

/**
 * The concept that a phrase ends with, the longest first, as `unit price` of `agreed unit price`; of `date of loss` that before the `of`; and
 * that with which it begins, for `hours worked`.
 */
export function conceptOf(words: readonly string[]): Concept | null {
  const whole = findConcept(words);
  if (whole !== null) return whole;
  const of = words.findIndex((word, at) => at > 0 && (word === 'of' || word === 'per'));
  const head = of > 0 ? words.slice(0, of) : [];
  if (words[of] === 'of' && COUNTS.has(head.at(-1) ?? '')) return { kind: 'integer', labels: [] };
  const ofHead = head.length > 0 ? conceptOf(head) : null;
  if (ofHead !== null) return ofHead;
  return endingOf(words) ?? byLastWord(words) ?? beginningOf(words);
}

function endingOf(words: readonly string[]): Concept | null {
  for (let from = Math.max(1, words.length - LONGEST); from < words.length; from++) {
    const found = findConcept(words.slice(from));
    if (found !== null) return found;
  }
  return null;
}

function beginningOf(words: readonly string[]): Concept | null {
  for (let to = Math.min(LONGEST, words.length - 1); to > 0; to--) {
    const found = findConcept(words.slice(0, to));
    if (found !== null) return found;
  }
  return null;
}

/** `reported on` and `valid until` are days, `collected at` is a moment, `approved by` somebody. */
function byLastWord(words: readonly string[]): Concept | null {
  if (words.length < 2) return null;
  const last = words.at(-1);
  if (last === 'by' || last === 'to') return { kind: 'text', labels: [] };
  if (last === 'on' || last === 'until' || last === 'since' || last === 'from') return { kind: 'date', labels: [] };
  return last === 'at' ? { kind: 'date-time', labels: [] } : null;
}

function readConcepts(): ReadonlyMap<string, Concept> {
  const read = new Map<string, Concept>();
  for (const [kind, lines] of Object.entries(CONCEPTS) as [ValueKind, string][]) {
    for (const entry of lines.split(/[\n;]/)) {
      const spellings = entry.split('=').map((one) => one.trim());
      const [noun = ''] = spellings;
      if (noun === '') continue;
      const labels = (spellings[1] ?? '').split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]));
      read.set(noun, { kind, labels: [noun, ...labels] });
    }
  }
  return read;
}
