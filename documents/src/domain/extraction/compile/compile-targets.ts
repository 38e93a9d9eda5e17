import type { CompiledSchema } from '../../schemas/compile-schema.js';
import type { NormalNode, NormalObject, NormalScalar } from '../../schemas/normal-schema.js';
import { pointerTo } from '../../json-pointer.js';
import type { ValueKind } from '../../schemas/words/concepts.js';
import { conceptOf } from '../../schemas/words/lexicon.js';
import { singularOf, wordsOf } from '../../schemas/words/name-field.js';
import { wordsOfLabel } from './label-words.js';
import { labelsOf } from './labels.js';
import { roleOf, type Role } from './roles.js';
import { shapeOf } from './text-shape.js';
import type { LeafTarget, ObjectTarget, Target } from './target.js';

/** What is looked for, by a schema. */
export function compileTargets({ root }: Pick<CompiledSchema, 'root'>): ObjectTarget {
  return objectTarget(root, { path: '', name: '', description: '', parents: [] });
}

interface Place {
  path: string;
  name: string;
  /** Said of a list whose items say nothing themselves. */
  description: string;
  /** Names of the objects and lists around it, the outermost first. */
  parents: readonly string[];
}

function targetOf(node: NormalNode, place: Place): Target {
  const { path, name, parents } = place;
  const description = node.description === '' ? place.description : node.description;
  if (node.kind === 'object') return objectTarget(node, { ...place, description });
  if (node.kind === 'scalar') return leafTarget(node, { path, name, description, parents });
  const labels = labelsOf({ name, description, parents });
  const item = targetOf(node.items, { path: `${path}/*`, name, description, parents });
  return { kind: 'list', path, name, description, labels, nullable: node.nullable, item };
}

function objectTarget(node: NormalObject, { path, name, description, parents }: Place): ObjectTarget {
  const inside = name === '' ? parents : [...parents, name];
  return {
    ...{ kind: 'object', path, name, description, node, nullable: node.nullable },
    labels: labelsOf({ name, description, parents }),
    properties: node.properties.map((property) =>
      targetOf(property.node, {
        ...{ path: pointerTo(path, property.name), name: property.name, description: '', parents: inside },
      }),
    ),
  };
}

function leafTarget(node: NormalScalar, { path, name, description, parents }: Place): LeafTarget {
  const sought = { path, name, description };
  const phrases = phrasesOf({ name, description, parents });
  const role = roleOf(phrases, (one) => isPossible(one, node));
  const labels = labelsOf({ ...sought, parents, role });
  const said = valueKindOf(node, sought);
  const valueKind = role !== null && (said === 'text' || isNamed(role, node)) ? role.kind : said;
  const shape = role !== null && role.kind === 'text' ? role.shape : shapeOf(phrases);
  return { ...{ kind: 'leaf', node, labels, valueKind, shape, role: role?.name ?? null }, ...sought };
}

/** Phrases that tell what a value is: its name, also inside what holds it, and the beginning of its description. */
function phrasesOf({ name, description, parents }: Pick<Place, 'name' | 'description' | 'parents'>): string[][] {
  const [parent = ''] = parents.slice(-1);
  const sentences = description.split(/[.;(]\s?/u).slice(0, 2);
  return [name, ...(parent === '' ? [] : [`${parent} ${name}`]), ...sentences].map((one) => wordsOfLabel(spaced(one)));
}

/** A text may be anything; a number is a number, and what has a format has that kind. */
function isPossible({ kind }: Role, { rules }: NormalScalar): boolean {
  const [rule] = rules;
  if (rule === undefined || rule.type === 'boolean' || rule.values !== null) return false;
  const byFormat = rule.format === null ? undefined : BY_FORMAT[rule.format];
  if (byFormat !== undefined)
    return kind === 'date' ? byFormat === 'date' || byFormat === 'date-time' : byFormat === kind;
  if (rules.every(({ type }) => type === 'integer')) return kind === 'integer' || kind === 'money' || kind === 'number';
  if (rules.every(({ type }) => type !== 'string'))
    return kind === 'money' || kind === 'number' || kind === 'percent' || kind === 'integer';
  return true;
}

/** Of texts a role says the kind better than a noun does; formats and types of numbers stand. */
function isNamed(role: Role, { rules }: NormalScalar): boolean {
  return rules.some(({ type, format }) => type === 'string' && format === null) && role.name !== 'full-name';
}

const BY_FORMAT: Readonly<Record<string, ValueKind>> = {
  date: 'date',
  'date-time': 'date-time',
  time: 'time',
  email: 'email',
  uri: 'uri',
  'uri-reference': 'uri',
};

/** What type and format say; of texts and numbers what the nouns of the name, else of the description, stand for. */
function valueKindOf({ rules }: NormalScalar, { name, description }: { name: string; description: string }): ValueKind {
  const [rule] = rules;
  if (rule === undefined) throw new TypeError('a value says no type');
  const byFormat = rule.format === null ? undefined : BY_FORMAT[rule.format];
  if (byFormat !== undefined) return byFormat;
  if (rule.type === 'boolean' || rule.type === 'integer') return rule.type;
  const said = kindOfWords(name) ?? kindOfWords(description.split(/[.,;:(]/u)[0] ?? '');
  if (rule.type === 'number') return said === 'money' || said === 'percent' ? said : 'number';
  return said ?? 'text';
}

function kindOfWords(phrase: string): ValueKind | null {
  const words = wordsOf(spaced(phrase)).map((word) => singularOf(word.toLowerCase()));
  return words.length === 0 ? null : (conceptOf(words)?.kind ?? null);
}

/** `invoiceDate` and `invoice_date` are words like any other. */
function spaced(name: string): string {
  return name.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ');
}
