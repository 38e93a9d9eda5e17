import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/domain/json.js';
import { pointerTo } from '../json-pointer.js';
import { pairItems } from './pair-items.js';
import type { Rule, RuleNode } from './rule.js';
import { isSame, scalarOf, type Scalar } from './same-value.js';

/** One leaf of what was returned beside the leaf of the gold that it is paired with. */
export interface JudgedLeaf {
  /** JSON pointer into what was returned; into the gold where nothing was returned for it. */
  path: string;
  /** The same with `*` in place of numbers of items. */
  pattern: string;
  got: Scalar | null;
  gold: Scalar | null;
  right: boolean;
  /** Of a row that is paired with none: `extra` in what was returned, `missing` in the gold. */
  row: 'paired' | 'extra' | 'missing';
}

/** One list of what was returned beside that of the gold. */
export interface JudgedList {
  pattern: string;
  returned: number;
  gold: number;
  /** Rows of which every leaf is right. */
  whole: number;
}

export interface Judgement {
  leaves: JudgedLeaf[];
  lists: JudgedList[];
  /** Values of the gold under keys that the schema does not have; nobody was asked for them, and they do not count. */
  unasked: number;
  /** Patterns of what the gold has in another shape than the schema, as texts where it asks for objects: what is returned beneath them cannot be right. */
  misshapen: ReadonlySet<string>;
}

/**
 * Compares what was returned with the gold. Null, empty text and an absent key are the same; items of lists are paired one to one so that most
 * leaves agree.
 *
 * @param unscored paths in the gold, or patterns, that are left out with all beneath them
 */
export function judgeDocument(
  got: JsonValue,
  gold: JsonValue,
  rules: RuleNode,
  unscored: readonly string[] = [],
): Judgement {
  const judge = new Judge(unscored);
  judge.node(got, gold, rules, { path: '', goldPath: '', pattern: '', row: 'paired' });
  return judge.found;
}

interface Place {
  path: string;
  goldPath: string;
  pattern: string;
  row: JudgedLeaf['row'];
}

class Judge {
  private readonly misshapenPatterns = new Set<string>();
  readonly found: Judgement = { leaves: [], lists: [], unasked: 0, misshapen: this.misshapenPatterns };

  constructor(private readonly unscored: readonly string[]) {}

  /** @returns whether every leaf is right */
  node(got: JsonValue | undefined, gold: JsonValue | undefined, node: RuleNode, place: Place): boolean {
    if (this.unscored.some((path) => path === place.pattern || path === place.goldPath)) return true;
    if (node.kind === 'leaf') return this.leaf(got, gold, node.rules, place);
    if (node.kind === 'list') return this.list(itemsOf(got), itemsOf(gold), node.item, place);
    if (gold !== undefined && !isJsonObject(gold)) this.misshapen(gold, place);
    const [ours, theirs] = [membersOf(got), lifted(membersOf(gold), node.properties)];
    for (const [name, value] of Object.entries(theirs)) {
      if (!node.properties.has(name)) this.found.unasked += scalarsIn(value).length;
    }
    const all = [...node.properties].map(([name, inner]) =>
      this.node(ours[name], theirs[name], inner, stepInto(place, name, name)),
    );
    return all.every(Boolean);
  }

  private leaf(got: JsonValue | undefined, gold: JsonValue | undefined, rules: readonly Rule[], place: Place): boolean {
    if (gold !== undefined && scalarsIn(gold).length > 1) this.misshapen(gold, place);
    const [one, other] = [scalarOf(got), scalarOf(Array.isArray(gold) && gold.length === 1 ? gold[0] : gold)];
    const right = one === null || other === null ? one === other : isSame(one, other, rules);
    const path = got === undefined && one === null ? place.goldPath : place.path;
    this.found.leaves.push({ path, pattern: place.pattern, got: one, gold: other, right, row: place.row });
    return right;
  }

  /** Values of the gold where the schema has another shape cannot be returned, and are missing. */
  private misshapen(gold: JsonValue, { goldPath, pattern }: Place): void {
    for (const value of scalarsIn(gold)) {
      this.misshapenPatterns.add(pattern);
      this.found.leaves.push({ path: goldPath, pattern, got: null, gold: value, right: false, row: 'missing' });
    }
  }

  private list(got: readonly JsonValue[], gold: readonly JsonValue[], item: RuleNode, place: Place): boolean {
    const pairs = pairItems(
      got.map((one) => keyOf(one, item)),
      gold.map((one) => keyOf(one, item)),
      (a, b) => agreement(got[a], gold[b], item),
    );
    let whole = 0;
    for (const [a, b] of pairs) if (this.node(got[a], gold[b], item, stepInto(place, a, b))) whole++;
    const [pairedGot, pairedGold] = [new Set(pairs.map(([a]) => a)), new Set(pairs.map(([, b]) => b))];
    for (const [a, one] of got.entries()) {
      if (!pairedGot.has(a)) this.node(one, undefined, item, { ...stepInto(place, a, a), row: 'extra' });
    }
    for (const [b, one] of gold.entries()) {
      if (!pairedGold.has(b)) this.node(undefined, one, item, { ...stepInto(place, b, b), row: 'missing' });
    }
    this.found.lists.push({ pattern: place.pattern, returned: got.length, gold: gold.length, whole });
    return whole === got.length && whole === gold.length;
  }
}

function stepInto(place: Place, ours: string | number, theirs: string | number): Place {
  return {
    path: pointerTo(place.path, ours),
    goldPath: pointerTo(place.goldPath, theirs),
    pattern: pointerTo(place.pattern, typeof ours === 'number' ? '*' : ours),
    row: place.row,
  };
}

/** Leaves that agree, however they are paired beneath. */
function agreement(got: JsonValue | undefined, gold: JsonValue | undefined, node: RuleNode): number {
  if (node.kind === 'leaf') {
    const [one, other] = [scalarOf(got), scalarOf(gold)];
    return one !== null && other !== null && isSame(one, other, node.rules) ? 1 : 0;
  }
  if (node.kind === 'object') {
    const [ours, theirs] = [membersOf(got), membersOf(gold)];
    let sum = 0;
    for (const [name, inner] of node.properties) sum += agreement(ours[name], theirs[name], inner);
    return sum;
  }
  const [ours, theirs] = [itemsOf(got), itemsOf(gold)];
  if (ours.length === 0 || theirs.length === 0) return 0;
  const keys = (items: readonly JsonValue[]): string[] => items.map((one) => keyOf(one, node.item));
  const between = (a: number, b: number): number => agreement(ours[a], theirs[b], node.item);
  return pairItems(keys(ours), keys(theirs), between).reduce((sum, [a, b]) => sum + between(a, b), 0);
}

/** Equal for items that agree in every leaf. */
function keyOf(value: JsonValue | undefined, node: RuleNode): string {
  if (node.kind === 'leaf') return JSON.stringify(scalarOf(value));
  if (node.kind === 'list')
    return JSON.stringify(
      itemsOf(value)
        .map((one) => keyOf(one, node.item))
        .sort(),
    );
  const members = membersOf(value);
  return JSON.stringify([...node.properties].map(([name, inner]) => keyOf(members[name], inner)));
}

/** Groups of items by name are one list. */
function itemsOf(value: JsonValue | undefined): JsonValue[] {
  if (Array.isArray(value)) return value.flatMap((one) => (Array.isArray(one) ? one : [one]));
  if (isJsonObject(value)) return Object.values(value).flatMap(itemsOf);
  return scalarOf(value) === null || value === undefined ? [] : [value];
}

function membersOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/**
 * Gold may hold the whole document in one more object, or in a list with one object, than the schema does, as in `{"events": [{…}]}`: what is in it
 * counts as if it stood outside.
 */
export function lifted(gold: JsonObject, properties: ReadonlyMap<string, RuleNode>): JsonObject {
  for (const [name, value] of Object.entries(gold)) {
    const inner = Array.isArray(value) && value.length === 1 ? value[0] : value;
    if (properties.has(name) || !isJsonObject(inner)) continue;
    const names = Object.keys(inner);
    if (names.length === 0 || !names.every((one) => properties.has(one) && gold[one] === undefined)) continue;
    const { [name]: _wrapper, ...others } = gold;
    return { ...others, ...inner };
  }
  return gold;
}

function scalarsIn(value: JsonValue): Scalar[] {
  if (Array.isArray(value)) return value.flatMap(scalarsIn);
  if (isJsonObject(value)) return Object.values(value).flatMap(scalarsIn);
  const scalar = scalarOf(value);
  return scalar === null ? [] : [scalar];
}
