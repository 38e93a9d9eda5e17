import type { Answer, ObjectAnswer } from '../../model/answer.js';
import type { LeafTarget, ListTarget, ObjectTarget } from '../../compile/target.js';
import type { Reading, Scope } from '../../model/reading.js';
import type { ListFinder, ListProposal } from '../../model/list-finder.js';
import { plainWords } from '../series/plain-words.js';
import { authorBlockOf } from './author-block.js';
import { authorsOf, type Author } from './authors-of-block.js';
import { NO_ITEMS, saidAnswer, unsaid } from './said-answer.js';

const NAMED: ReadonlySet<string> = new Set(['author', 'contributor', 'writer']);
const PLACES: ReadonlySet<string> = new Set([
  'affiliation',
  'institution',
  'organization',
  'organisation',
  'university',
  'employer',
]);
const FOUND = 0.85;

/** Who has written a paper: names below its title, with addresses and affiliations. */
export const authorsFinder: ListFinder = {
  name: 'authors',
  find(list: ListTarget, scope: Scope, reading: Reading): ListProposal | null {
    const said = [...plainWords(list.name), ...plainWords(list.description.split(/[.;(]/u)[0] ?? '')];
    const { item } = list;
    if (scope.from > 0 || item.kind === 'list' || !said.some((word) => NAMED.has(word))) return null;
    const authors = authorsOf(authorBlockOf(reading));
    if (authors.length === 0) return null;
    const items = authors.map((author) =>
      item.kind === 'leaf' ? nameOf(item, author, reading) : itemOf(item, author, reading),
    );
    return { answer: { ...NO_ITEMS, items }, likelihood: FOUND };
  },
};

function itemOf(target: ObjectTarget, author: Author, reading: Reading): ObjectAnswer {
  const names = target.properties.filter((one) => one.kind === 'leaf' && pieceFor(one, author) === undefined);
  const answerOf = (one: ObjectTarget['properties'][number]): Answer => {
    if (one.kind === 'list') return NO_ITEMS;
    if (one.kind === 'object') return itemOf(one, author, reading);
    if (one === names[0]) return nameOf(one, author, reading);
    const piece = pieceFor(one, author) ?? null;
    return piece === null
      ? unsaid(FOUND)
      : saidAnswer(one, { ...piece, foundBy: author.name.raw, find: FOUND }, { reading });
  };
  return { kind: 'object', properties: new Map(target.properties.map((one) => [one.name, answerOf(one)])) };
}

function nameOf(leaf: LeafTarget, { name }: Author, reading: Reading): Answer {
  return saidAnswer(leaf, { ...name, foundBy: 'title', find: FOUND }, { reading });
}

/** What answers a leaf that is no name; undefined for one that may be. */
function pieceFor({ name, description, valueKind }: LeafTarget, author: Author): Author['email'] | undefined {
  if (valueKind === 'email') return author.email;
  const words = [...plainWords(name), ...plainWords(description.split(/[.;(]/u)[0] ?? '')];
  if (words.some((word) => PLACES.has(word))) return author.affiliation;
  return words.includes('name') || words.includes('author') ? undefined : null;
}
