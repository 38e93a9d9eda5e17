import type { ValueKind } from '../../schemas/words/concepts.js';
import type { NormalObject, NormalScalar } from '../../schemas/normal-schema.js';
import type { TextShape } from './roles.js';

/** Words by which a document may name a value, in small letters and without marks. */
export interface Label {
  words: readonly string[];
  /** How much it says, 0…1: words that the schema quotes more than synonyms of the lexicon. */
  weight: number;
  from: 'quoted' | 'name' | 'description' | 'synonym' | 'parent';
}

interface Sought {
  /** A JSON pointer into the data, with `*` in place of the number of an item. */
  path: string;
  name: string;
  description: string;
  labels: readonly Label[];
}

/** A single value that is looked for. */
export interface LeafTarget extends Sought {
  kind: 'leaf';
  node: NormalScalar;
  /** What its values look like, from type, format and the nouns of its name and description. */
  valueKind: ValueKind;
  /** What its text is made of, where it is one. */
  shape: TextShape;
  /** What it is for, where documents of many kinds have it; see {@link ROLES}. */
  role: string | null;
}

/** A list that is looked for. */
export interface ListTarget extends Sought {
  kind: 'list';
  nullable: boolean;
  item: Target;
}

/** An object: every property of it, in the order of the schema. */
export interface ObjectTarget extends Sought {
  kind: 'object';
  node: NormalObject;
  nullable: boolean;
  properties: readonly Target[];
}

export type Target = LeafTarget | ListTarget | ObjectTarget;

/** The leaves of an object that stand in no list of it, its inner objects' too. */
export function leavesOf(target: ObjectTarget): LeafTarget[] {
  return target.properties.flatMap((one) => (one.kind === 'leaf' ? [one] : one.kind === 'object' ? leavesOf(one) : []));
}

/** The lists of an object that stand in no other list of it, its inner objects' too. */
export function listsOf(target: ObjectTarget): ListTarget[] {
  return target.properties.flatMap((one) => (one.kind === 'list' ? [one] : one.kind === 'object' ? listsOf(one) : []));
}
