import type { CompiledSchema } from '../../schemas/compile-schema.js';
import type { NormalNode, NormalObject, NormalScalar } from '../../schemas/normal-schema.js';
import { pointerTo } from '../../schemas/schema-fault.js';
import { conceptOf, type ValueKind } from '../../schemas/words/lexicon.js';
import { singularOf, wordsOf } from '../../schemas/words/name-field.js';
import { labelsOf } from './labels.js';
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
  const labels = labelsOf({ name, description, parents });
  if (node.kind === 'scalar') return leafTarget(node, { path, name, description, labels });
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

function leafTarget(node: NormalScalar, sought: Omit<LeafTarget, 'kind' | 'node' | 'valueKind'>): LeafTarget {
  return { ...sought, kind: 'leaf', node, valueKind: valueKindOf(node, sought) };
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
