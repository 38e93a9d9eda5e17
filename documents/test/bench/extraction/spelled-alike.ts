import { isJsonObject, type JsonValue } from '../../../../src/domain/json.js';
import type { Rule, RuleNode } from '../../../src/domain/benchmark/rule.js';
import { isSame, scalarOf, type Scalar } from '../../../src/domain/benchmark/same-value.js';

/** Values that leaves of one place have, each with the sign that stands for it. */
interface Signs {
  ofGold: Map<Scalar, string>;
  ofGot: Map<Scalar, string>;
}

/**
 * What was returned and the gold with a sign in place of each value: values have the same sign where the rule of their leaf calls them the same. Whoever
 * compares texts in his own way then counts by these rules, and what differs still is how items are paired and leaves are counted.
 */
export function spelledAlike(got: JsonValue, gold: JsonValue, rules: RuleNode): { got: JsonValue; gold: JsonValue } {
  const signs = new Map<string, Signs>();
  return {
    gold: mapped(gold, rules, '', (value, own, place) => signOfGold(value, own, signsAt(signs, place))),
    got: mapped(got, rules, '', (value, own, place) => signOfGot(value, own, signsAt(signs, place))),
  };
}

function signsAt(all: Map<string, Signs>, place: string): Signs {
  const known = all.get(place) ?? { ofGold: new Map<Scalar, string>(), ofGot: new Map<Scalar, string>() };
  all.set(place, known);
  return known;
}

function signOfGold(value: Scalar, rules: readonly Rule[], { ofGold }: Signs): string {
  const sign = ofGold.get(value) ?? signOfSame(value, rules, ofGold) ?? `gold ${ofGold.size}`;
  ofGold.set(value, sign);
  return sign;
}

function signOfGot(value: Scalar, rules: readonly Rule[], { ofGold, ofGot }: Signs): string {
  const equal = ofGold.get(value);
  const isRight = equal !== undefined && isSame(value, value, rules);
  const known = isRight ? equal : (ofGot.get(value) ?? signOfSame(value, rules, ofGold));
  const sign = known ?? `other ${ofGot.size}`;
  ofGot.set(value, sign);
  return sign;
}

function signOfSame(value: Scalar, rules: readonly Rule[], known: ReadonlyMap<Scalar, string>): string | undefined {
  for (const [other, sign] of known) if (isSame(value, other, rules)) return sign;
  return undefined;
}

function mapped(
  value: JsonValue,
  node: RuleNode,
  place: string,
  signOf: (value: Scalar, rules: readonly Rule[], place: string) => string,
): JsonValue {
  if (node.kind === 'leaf') {
    const scalar = scalarOf(value);
    return scalar === null ? value : signOf(scalar, node.rules, place);
  }
  if (node.kind === 'list') {
    return Array.isArray(value) ? value.map((one) => mapped(one, node.item, `${place}/*`, signOf)) : value;
  }
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, one]) => {
    const inner = node.properties.get(name);
    return [name, inner === undefined ? one : mapped(one, inner, `${place}/${name}`, signOf)] as const;
  });
  return Object.fromEntries(members);
}
