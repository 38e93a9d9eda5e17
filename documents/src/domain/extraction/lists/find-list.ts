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
import { amountsFinder } from './tables/amounts-finder.js';
import { signsOfRows } from './tables/signs-of-rows.js';
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
  amountsFinder,
];

/** The list as the likeliest of all ways has it; empty where none has one. */
export function findList(list: ListTarget, scope: Scope, reading: Reading, answer: AnswerObject): ListAnswer {
  let best: ListProposal | null = null;
  for (const finder of FINDERS) {
    const proposal = finder.find(list, scope, reading, answer);
    if (proposal !== null && (best === null || proposal.likelihood > best.likelihood)) best = proposal;
  }
  return best !== null && best.answer.items.length > 0 ? best.answer : noList(list, scope, reading);
}

/** A list of which nothing was read may be shown in a way that could not be, or stand on the pages that were not read. */
function noList(list: ListTarget, scope: Scope, reading: Reading): ListAnswer {
  const isWhole = scope.from === 0 && scope.to === reading.lines.length;
  const missingPages = isWhole ? [...reading.unread] : [];
  const signs = signsOfRows(list, scope, reading) ?? { expectedRows: null, method: null };
  return { kind: 'list', items: [], ...signs, missingPages };
}
