import type { LeafTarget } from '../compile/target.js';
import type { Assignment, Ranking } from './assign.js';
import type { Candidate } from './candidate.js';

/** Scores so near to each other say nothing against what agrees better. */
const NEAR_TIE = 1.2;
const MOST = 6;
const CENT = 0.011;

/** Whether other values speak for that of a leaf: 1 that they do, 0 that they speak against it. */
export type Agreement = Map<LeafTarget, number>;

/** Makes sums and dates agree where candidates are nearly as good, and says what agrees. */
export function reconcile(rankings: readonly Ranking[], assigned: Assignment): Agreement {
  const agreement: Agreement = new Map();
  reconcileSum(rankings, assigned, agreement);
  reconcileDates(rankings, assigned, agreement);
  return agreement;
}

/** Net and tax make the total. */
function reconcileSum(rankings: readonly Ranking[], assigned: Assignment, agreement: Agreement): void {
  const [total, net, tax] = ['total', 'untaxed', 'tax'].map((role) =>
    rankings.find(({ target }) => target.role === role),
  );
  if (total === undefined || net === undefined || tax === undefined) return;
  const parts = [total, net, tax];
  const chosen = parts.map(({ target }) => assigned.get(target) ?? null);
  if (chosen.some((one) => one === null)) return;
  const best = bestOf(
    parts.map((ranking) => nearTies(ranking, assigned)),
    ([t, n, x]) => isSum(t, n, x),
  );
  for (const [at, { target }] of parts.entries()) {
    const candidate = best?.[at];
    if (candidate !== undefined) assigned.set(target, candidate);
    agreement.set(target, best === null ? 0.2 : 1);
  }
}

function isSum(total?: Candidate, net?: Candidate, tax?: Candidate): boolean {
  if (total?.amount == null || net?.amount == null || tax?.amount == null) return false;
  return Math.abs(total.amount - net.amount - tax.amount) <= CENT;
}

/** Nothing is due before it was issued, or ends before it begins. */
function reconcileDates(rankings: readonly Ranking[], assigned: Assignment, agreement: Agreement): void {
  for (const [before, after] of [
    ['issue', 'due'],
    ['agreement-date', 'maturity'],
    ['period-start', 'period-end'],
    ['issue', 'expiry'],
  ]) {
    const [one, other] = [before, after].map((role) => rankings.find(({ target }) => target.role === role));
    if (one === undefined || other === undefined) continue;
    if ((assigned.get(one.target) ?? null) === null || (assigned.get(other.target) ?? null) === null) continue;
    const best = bestOf(
      [nearTies(one, assigned), nearTies(other, assigned)],
      ([a, b]) => (a?.amount ?? 0) <= (b?.amount ?? 0),
    );
    for (const [at, { target }] of [one, other].entries()) {
      const candidate = best?.[at];
      if (candidate !== undefined) assigned.set(target, candidate);
      agreement.set(target, best === null ? 0.2 : 0.8);
    }
  }
}

/** The candidate that was chosen, and those nearly as good. */
function nearTies({ target, candidates }: Ranking, assigned: Assignment): Candidate[] {
  const chosen = assigned.get(target);
  if (chosen === null || chosen === undefined) return [];
  const others = candidates.filter((one) => one !== chosen && one.score > 0 && chosen.score - one.score <= NEAR_TIE);
  return [chosen, ...others].slice(0, MOST);
}

/** Of all combinations that agree the one with the best scores; null where none agrees. */
function bestOf(
  lists: readonly (readonly Candidate[])[],
  agrees: (chosen: readonly Candidate[]) => boolean,
): Candidate[] | null {
  let best: { chosen: Candidate[]; score: number } | null = null;
  const visit = (chosen: Candidate[], score: number): void => {
    const next = lists[chosen.length];
    if (next === undefined) {
      if (agrees(chosen) && (best === null || score > best.score)) best = { chosen, score };
      return;
    }
    for (const candidate of next) visit([...chosen, candidate], score + candidate.score);
  };
  visit([], 0);
  return (best as { chosen: Candidate[] } | null)?.chosen ?? null;
}
