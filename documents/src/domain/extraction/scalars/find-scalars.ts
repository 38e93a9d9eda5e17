import type { ScalarAnswer } from '../answer.js';
import type { LeafTarget } from '../compile/target.js';
import type { Reading, Scope } from '../reading.js';

const NOTHING_NEAR: ScalarAnswer = {
  kind: 'scalar',
  value: null,
  evidence: null,
  signals: { read: 0.99, find: 0.5, fit: 1, agree: 0.5, ground: 1 },
};

/** The values of one object in a part of a document, decided together: no two of them from the same words, where another place will do. */
export function findScalars(
  targets: readonly LeafTarget[],
  _scope: Scope,
  _reading: Reading,
): Map<LeafTarget, ScalarAnswer> {
  return new Map(targets.map((target) => [target, NOTHING_NEAR]));
}
