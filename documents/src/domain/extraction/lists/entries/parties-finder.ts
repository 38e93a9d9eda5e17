import type { ScalarAnswer } from '../../model/answer.js';
import type { ListTarget } from '../../compile/target.js';
import type { Reading, Scope } from '../../model/reading.js';
import type { ListFinder, ListProposal } from '../../model/list-finder.js';
import { plainWords } from '../series/plain-words.js';
import { namesAbove, namesInSchedule, namesSigned, type PartyName } from './party-names.js';
import { NO_ITEMS, saidAnswer } from './said-answer.js';

/** Words for somebody who does something, as `lender` or `arranger`. */
const DOES = /(?:er|or|ee|agent|bank|partner|party|manager)$/u;
const NO_ROLE: ReadonlySet<string> = new Set(
  'after another either former however latter letter matter neither never number offer order other over paper quarter rather together transfer under whether year'.split(
    ' ',
  ),
);
/** What somebody is called who does what a description says; of several the one of whom most is said. */
const ROLES_OF_DEEDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['arranger', ['arranging', 'structuring', 'syndicating']],
  ['buyer', ['buying', 'purchasing']],
  ['guarantor', ['guaranteeing']],
  ['lender', ['lending']],
  ['seller', ['selling']],
  ['underwriter', ['underwriting']],
]);
const IN_SCHEDULE = 0.98;
const BY_ROLE = 0.97;
const ALONE = 0.8;

/** Those who take part in an agreement in a role: named in a schedule of what each does, or above `as <role>`. */
export const partiesFinder: ListFinder = {
  name: 'parties',
  find(list: ListTarget, scope: Scope, reading: Reading): ListProposal | null {
    const { item } = list;
    if (item.kind !== 'leaf' || item.valueKind !== 'text') return null;
    const role = roleOf(list);
    if (role === null) return null;
    const lines = reading.lines.slice(scope.from, scope.to);
    const inSchedule = namesInSchedule(role, lines, reading);
    const [above, signed] = [namesAbove(role, lines, reading), namesSigned(role, lines, reading)];
    const named = above.length >= signed.length ? above : signed;
    const names = once(inSchedule.length > 1 ? inSchedule : named);
    if (names.length === 0) return null;
    const find = inSchedule.length > 1 ? IN_SCHEDULE : names.length > 1 ? BY_ROLE : ALONE;
    const items = names.map((name): ScalarAnswer => {
      return saidAnswer(item, { ...name, foundBy: role.join(' '), find }, { reading });
    });
    return { answer: { ...NO_ITEMS, items }, likelihood: find };
  },
};

/** The words of the role that a list is of: its name, else what its description speaks of first. */
function roleOf({ name, description }: ListTarget): string[] | null {
  const named = plainWords(name);
  if (isRole(named.at(-1) ?? '')) return named.slice(-2);
  const words = plainWords(description.split('.')[0] ?? '');
  const said = words.find(isRole) ?? roleOfDeeds(words);
  return said === undefined ? null : [said];
}

function roleOfDeeds(words: readonly string[]): string | undefined {
  const counts = [...ROLES_OF_DEEDS].map(([role, deeds]) => ({
    role,
    count: deeds.filter((deed) => words.includes(deed)).length,
  }));
  return counts.filter(({ count }) => count > 0).toSorted((one, other) => other.count - one.count)[0]?.role;
}

function isRole(word: string): boolean {
  return word.length > 3 && DOES.test(word) && !NO_ROLE.has(word);
}

/** Each name once, however it is written. */
function once(names: readonly PartyName[]): PartyName[] {
  const seen = new Map<string, PartyName>();
  for (const name of names) {
    const key = name.raw.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
    if (!seen.has(key)) seen.set(key, name);
  }
  return [...seen.values()];
}
