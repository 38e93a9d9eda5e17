import type { LeafTarget } from '../compile/target.js';
import { overlap, type Candidate } from './candidate.js';
import { familyOf, type Family } from './features.js';

/** What is known of a leaf before all are decided together: its candidates, the best first. */
export interface Ranking {
  target: LeafTarget;
  candidates: readonly Candidate[];
}

/** One candidate for each leaf, or none. */
export type Assignment = Map<LeafTarget, Candidate | null>;

/** Values of these kinds are of the same words for one leaf alone; an amount and its currency share them. */
const GROUPS: Readonly<Partial<Record<Family, string>>> = {
  ...{ date: 'date', amount: 'number', number: 'number', identifier: 'code', code: 'code', contact: 'contact' },
  ...{
    line: 'text',
    company: 'text',
    person: 'text',
    title: 'text',
    place: 'text',
    address: 'address',
    passage: 'passage',
  },
};
/** What is as sure as this for two leaves may be both. */
const SURE = 2;

/** Decides the surest leaf first; whoever comes later has another place where one will do. */
export function assign(rankings: readonly Ranking[]): Assignment {
  const taken: { group: string; candidate: Candidate }[] = [];
  const assigned: Assignment = new Map();
  const order = rankings
    .map((ranking, at) => ({ ranking, at, best: ranking.candidates[0]?.score ?? -Infinity }))
    .sort((one, other) => other.best - one.best || one.at - other.at);
  for (const { ranking } of order) {
    const group = GROUPS[familyOf(ranking.target)] ?? ranking.target.path;
    const chosen = choose(
      ranking,
      taken.flatMap((one) => (one.group === group ? [one.candidate] : [])),
    );
    assigned.set(ranking.target, chosen);
    if (chosen !== null) taken.push({ group, candidate: chosen });
  }
  return assigned;
}

function choose({ candidates }: Ranking, taken: readonly Candidate[]): Candidate | null {
  const good = candidates.filter(({ score }) => score > 0);
  const free = good.find((candidate) => !taken.some((other) => overlap(candidate, other)));
  const [best] = good;
  if (best === undefined) return null;
  return free ?? (best.score >= SURE ? best : null);
}
