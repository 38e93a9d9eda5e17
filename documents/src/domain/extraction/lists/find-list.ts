import type { ListAnswer } from '../model/answer.js';
import type { ListTarget } from '../compile/target.js';
import type { Reading, Scope } from '../model/reading.js';
import type { AnswerObject, ListFinder, ListProposal } from '../model/list-finder.js';
import { authorsFinder } from './entries/authors-finder.js';
import { contactsFinder } from './entries/contacts-finder.js';
import { entriesFinder } from './entries/entries-finder.js';
import { enumerationFinder } from './entries/enumeration-finder.js';
import { partiesFinder } from './entries/parties-finder.js';
import { referencesFinder } from './entries/references-finder.js';
import { seriesFinder } from './series/series-finder.js';
import { tableFinder } from './tables/table-finder.js';

/** All ways in which lists are found, in the order in which equals win. */
const FINDERS: readonly ListFinder[] = [
  tableFinder,
  seriesFinder,
  authorsFinder,
  referencesFinder,
  entriesFinder,
  enumerationFinder,
  contactsFinder,
  partiesFinder,
];

/** The list as the likeliest of all ways has it; empty where none has one. */
export function findList(list: ListTarget, scope: Scope, reading: Reading, answer: AnswerObject): ListAnswer {
  let best: ListProposal | null = null;
  for (const finder of FINDERS) {
    const proposal = finder.find(list, scope, reading, answer);
    if (proposal !== null && (best === null || proposal.likelihood > best.likelihood)) best = proposal;
  }
  return best?.answer ?? noList(scope, reading);
}

/** A list of which nothing was found may stand on the pages that were not read. */
function noList({ from, to }: Scope, reading: Reading): ListAnswer {
  const isWhole = from === 0 && to === reading.lines.length;
  const missingPages = isWhole ? [...reading.unread] : [];
  return { kind: 'list', items: [], expectedRows: null, method: null, missingPages };
}
