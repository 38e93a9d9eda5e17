import type { JsonValue } from '../../../../src/domain/json.js';
import { isJsonObject } from '../../../../src/domain/json.js';
import type { Rule, RuleNode } from '../../../src/domain/benchmark/rule.js';
import { isSame, scalarOf } from '../../../src/domain/benchmark/same-value.js';
import { compileTargets } from '../../../src/domain/extraction/compile/compile-targets.js';
import { leavesOf, type LeafTarget } from '../../../src/domain/extraction/compile/target.js';
import type { Reading } from '../../../src/domain/extraction/model/reading.js';
import type { Candidate } from '../../../src/domain/extraction/scalars/candidate.js';
import { type Family, familyOf } from '../../../src/domain/extraction/scalars/features.js';
import { rankingOf } from '../../../src/domain/extraction/scalars/find-scalars.js';
import { PartOfDocument } from '../../../src/domain/extraction/scalars/part-of-document.js';
import type { GoldClass, GoldDocument } from '../../../src/embedded/benchmark/gold-classes.js';
import { PRIOR_WEIGHTS } from './prior-weights.js';

/** A leaf of a document with its candidates, and what is right by the gold. */
export interface GoldChoice {
  document: string;
  target: LeafTarget;
  family: Family;
  candidates: readonly Candidate[];
  hasValue: boolean;
  isRight: (value: JsonValue) => boolean;
}

/** Candidates of a leaf from which the fit learns. */
const MOST = 80;

/** The leaves of a document outside of its lists. */
export function goldChoices(one: GoldClass, document: GoldDocument, reading: Reading): GoldChoice[] {
  const part = new PartOfDocument(reading, reading.whole);
  return leavesOf(compileTargets(one.compiled)).flatMap((target) => {
    if (document.unscored.includes(target.path) || target.role === 'page-count') return [];
    const steps = target.path.split('/').slice(1);
    const gold = scalarOf(
      steps.reduce<JsonValue | undefined>((at, step) => (isJsonObject(at) ? at[step] : undefined), document.gold),
    );
    const rules = rulesAt(one.rules, steps);
    const isRight = (value: JsonValue): boolean => {
      const got = scalarOf(value);
      return gold !== null && got !== null && isSame(got, gold, rules);
    };
    // By the weights from which fitting begins: what is learned does not depend on what was learned before.
    const candidates = rankingOf(target, part, PRIOR_WEIGHTS).candidates.slice(0, MOST);
    return [
      {
        document: `${one.name}/${document.name}`,
        target,
        family: familyOf(target),
        candidates,
        hasValue: gold !== null,
        isRight,
      },
    ];
  });
}

function rulesAt(node: RuleNode, steps: readonly string[]): readonly Rule[] {
  const [step, ...rest] = steps;
  if (node.kind === 'leaf') return node.rules;
  const inner = node.kind === 'object' && step !== undefined ? node.properties.get(step) : undefined;
  return inner === undefined ? [] : rulesAt(inner, rest);
}
