import type { JudgedLeaf } from '../../../src/domain/benchmark/judge-document.js';
import type { Reading } from '../../../src/domain/extraction/model/reading.js';
import type { BenchedDocument } from '../../../src/embedded/benchmark/bench-document.js';
import { isComparable } from '../../../src/embedded/benchmark/class-report.js';
import type { GoldChoice } from './gold-choices.js';

const OTHER_SHAPE = 'the gold has a text where the schema asks for an object, or one value where it asks for several';

/** Counts why the leaves of a document are wrong. @param choices those of the document */
export function countCauses(
  counts: Map<string, number>,
  benched: BenchedDocument,
  choices: readonly GoldChoice[],
  reading: Reading,
): void {
  const text = lettersOf(reading.lines.map((line) => line.text).join(' '));
  for (const leaf of benched.judgement.leaves) {
    if (leaf.right) continue;
    const cause = leaf.pattern.includes('/*') ? causeInList(leaf, benched) : causeOutside(leaf, choices, text);
    counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
}

function causeInList(leaf: JudgedLeaf, benched: BenchedDocument): string {
  if (!isComparable(benched, leaf) || benched.judgement.misshapen.has(leaf.pattern)) return OTHER_SHAPE;
  if (leaf.row === 'missing') return 'in a list: of a row that was not found';
  if (leaf.row === 'extra') return 'in a list: of a row that the gold does not have';
  if (leaf.got === null) return 'in a list: not found in a row that was';
  return leaf.gold === null
    ? 'in a list: answered, though the gold has none'
    : 'in a list: something else in a row that was found';
}

function causeOutside(leaf: JudgedLeaf, choices: readonly GoldChoice[], text: string): string {
  if (leaf.gold === null) return 'outside: answered, though the gold has none';
  const choice = choices.find(({ target }) => target.path === leaf.pattern);
  if (choice?.candidates.some(({ value }) => choice.isRight(value)) === true) {
    return leaf.got === null
      ? 'outside: the right value was too unsure'
      : 'outside: another value was taken for likelier';
  }
  const isPrinted = text.includes(lettersOf(String(leaf.gold)));
  return isPrinted
    ? 'outside: printed, and not taken for a value of this leaf'
    : 'outside: not in the words as they were read';
}

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
