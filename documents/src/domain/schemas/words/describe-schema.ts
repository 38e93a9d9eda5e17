import type { JsonObject } from '../../../../../src/domain/json.js';
import { pointerTo } from '../../json-pointer.js';
import { freeKey, valueSchema, type MadeSchema } from './made-schema.js';
import { wordsOf } from './name-field.js';
import { outlineOf } from './outline.js';
import { readField, type Field } from './read-field.js';

/**
 * A schema from words, by a grammar and a lexicon alone (DI-012): the same words always give the same schema, and nothing that was asked for is
 * left out. A noun that is not known becomes a text with a warning. A description that names nothing gives a schema without properties and the
 * warning `nothing_named`.
 */
export function describeSchema(description: string): MadeSchema {
  const made: MadeSchema = { jsonSchema: {}, rationale: [], warnings: [] };
  const fields = outlineOf(description).flatMap((item) => readField(item) ?? []);
  if (fields.length === 0) {
    made.warnings.push({ path: '', code: 'nothing_named', message: 'the description names nothing to look for' });
  }
  made.jsonSchema = { type: 'object', properties: propertiesOf(fields, '/properties', made) };
  return made;
}

function propertiesOf(fields: readonly Field[], at: string, made: MadeSchema): JsonObject {
  const properties = new Map<string, JsonObject>();
  for (const field of fields) {
    const key = freeKey(field.key, properties);
    const path = pointerTo(at, key);
    if (key !== field.key) {
      made.warnings.push({ path, code: 'renamed', message: `there is a ${field.key} already, so this one is ${key}` });
    }
    made.rationale.push({ path, reason: reasonOf(field), labels: [...field.quoted, field.phrase, ...field.labels] });
    if (field.because === 'unknown' && field.shape !== 'object' && field.shape !== 'objects') {
      const message = `"${field.phrase}" is no noun that is known, so it is a text; say its type, as in "${field.phrase} (number)"`;
      made.warnings.push({ path, code: 'unknown_noun', message });
    }
    properties.set(key, schemaOf(field, path, made));
  }
  return Object.fromEntries(properties);
}

function schemaOf(field: Field, path: string, made: MadeSchema): JsonObject {
  const description = describe(field);
  switch (field.shape) {
    case 'object':
      return {
        type: 'object',
        description,
        properties: propertiesOf(field.children, pointerTo(path, 'properties'), made),
      };
    case 'objects': {
      const at = pointerTo(pointerTo(path, 'items'), 'properties');
      return {
        type: 'array',
        description,
        items: { type: 'object', properties: propertiesOf(field.children, at, made) },
      };
    }
    case 'values':
      return { type: 'array', description, items: valueSchema(field, false) };
    case 'value':
      return { ...valueSchema(field, true), description };
  }
}

/** A sentence about the value, with what documents print beside it. */
function describe({ phrase, quoted, labels, unit, remarks, values, kind, shape, key }: Field): string {
  const what = phrase.trim() === '' ? key : phrase.trim();
  const named = quoted.length > 0 ? quoted : labels.filter((label) => label !== wordsOf(what).join(' ').toLowerCase());
  const verb = quoted.length > 0 ? 'labelled' : 'also labelled';
  const isMany = shape === 'values' || shape === 'objects';
  const parts = [
    `${isMany ? 'Each of the ' : ''}${isMany ? what : capitalized(what)}`,
    unit === null ? '' : unit.startsWith('per ') ? ` ${unit}` : ` in ${unit}`,
    kind === 'percent' && unit === null ? ' in percent' : '',
    named.length === 0 ? '' : `, ${verb} ${named.map((label) => `"${label}"`).join(', ')}`,
    values === null ? '' : `, one of ${values.join(', ')}`,
    remarks.length === 0 ? '' : ` (${remarks.join('; ')})`,
  ];
  return `${parts.join('')}.`;
}

function reasonOf({ because, kind, unit, phrase, shape, children }: Field): string {
  if (shape === 'objects') return `a list, because "${phrase}" has ${children.length} things for each`;
  if (shape === 'object') return `an object, because "${phrase}" has ${children.length} things of its own`;
  const many = shape === 'values' ? 'a list of ' : '';
  switch (because) {
    case 'said':
      return `${many}${kind}, because the description says so`;
    case 'unit':
      return `${many}${kind}, because it is in ${unit}`;
    case 'noun':
      return `${many}${kind}, because "${phrase}" ends with a noun that is known`;
    case 'unknown':
      return `${many}text, because "${phrase}" is not known`;
  }
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
