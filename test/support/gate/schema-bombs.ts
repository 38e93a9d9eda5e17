import type { JsonObject, JsonValue } from '../../../src/domain/json.js';

/** A schema that is made to hurt its compiler or validator, and arguments that trigger it. */
export interface SchemaBomb {
  name: string;
  schema: JsonObject;
  input: JsonValue;
  /** Whether it has to be refused as a schema; the others may also be answered, within the deadline. */
  refused: boolean;
}

const LONG = `${'a'.repeat(50_000)}!`;

/** At least fifty, of every kind that the gate's limits are about (docs/design/gate.md). */
export const SCHEMA_BOMBS: SchemaBomb[] = [
  ...deep(),
  ...wide(),
  ...remote(),
  ...doubling(),
  ...recursive(),
  ...patterns(),
  ...enums(),
  ...costly(),
];

function refused(name: string, schema: JsonObject, input: JsonValue = {}): SchemaBomb {
  return { name, schema, input, refused: true };
}

function bounded(name: string, schema: JsonObject, input: JsonValue): SchemaBomb {
  return { name, schema, input, refused: false };
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function named(count: number, make: (index: number) => JsonValue): JsonObject {
  return Object.fromEntries(times(count, (index) => [`m${index}`, make(index)]));
}

function deep(): SchemaBomb[] {
  const nest = (levels: number, wrap: (inner: JsonValue) => JsonObject): JsonObject =>
    times(levels, () => 0).reduce<JsonObject>((inner) => wrap(inner), {});
  return [
    refused(
      'deep not',
      nest(40, (inner) => ({ not: inner })),
    ),
    refused(
      'deep properties',
      nest(200, (inner) => ({ properties: { a: inner } })),
    ),
    refused(
      'deep items',
      nest(1_000, (inner) => ({ items: inner })),
    ),
    refused(
      'deep allOf',
      nest(400, (inner) => ({ allOf: [inner] })),
    ),
    refused('deep enum', { enum: [nest(500, (inner) => ({ a: inner }))] }),
  ];
}

function wide(): SchemaBomb[] {
  return [
    refused('wide properties', { properties: named(20_001, () => true) }),
    refused('wide required', { required: times(25_000, (i) => `r${i}`) }),
    refused('wide oneOf', { oneOf: times(21_000, () => ({})) }),
    refused('large text', { description: 'x'.repeat(262_144) }),
    bounded('many properties within the limits', { properties: named(9_000, () => ({ type: 'string' })) }, {}),
    bounded('many alternatives within the limits', { oneOf: times(9_000, (i) => ({ const: i })) }, 1),
  ];
}

function remote(): SchemaBomb[] {
  const references = [
    'https://attacker.example/schema.json',
    'http://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
    '//attacker.example/s',
    'other.json#/definitions/a',
    'urn:example:schema',
    'http://json-schema.org/draft-07/schema#',
    '',
  ];
  return [
    ...references.map((reference) => refused(`reference to ${reference}`, { properties: { q: { $ref: reference } } })),
    refused('dynamic reference', { $dynamicRef: 'https://attacker.example/schema.json' }),
    refused('reference below another identity', { $id: 'https://attacker.example/', $ref: '#/nowhere' }),
  ];
}

function chain(levels: number, ask: (next: JsonObject) => JsonObject, last: JsonObject): JsonObject {
  return {
    $defs: {
      ...Object.fromEntries(times(levels, (i) => [`d${i}`, ask({ $ref: `#/$defs/d${i + 1}` })])),
      [`d${levels}`]: last,
    },
    $ref: '#/$defs/d0',
  };
}

/** Met at once by an object without `a` and `b`. It costs twice as much to hold its input against it for each level. */
export function doublingWhenAsked(levels: number): SchemaBomb {
  return refused(
    'doubling dependentSchemas',
    chain(levels, (next) => ({ dependentSchemas: { a: next, b: next } }), { type: 'string' }),
    { a: 1, b: 1 },
  );
}

function doubling(): SchemaBomb[] {
  const last = { type: 'string' };
  return [
    refused(
      'doubling allOf',
      chain(40, (next) => ({ allOf: [next, next] }), last),
    ),
    refused(
      'doubling anyOf',
      chain(40, (next) => ({ anyOf: [next, next] }), last),
    ),
    refused(
      'doubling oneOf',
      chain(40, (next) => ({ oneOf: [next, next] }), last),
    ),
    refused(
      'doubling not',
      chain(40, (next) => ({ not: { allOf: [next, { not: next }] } }), {}),
    ),
    refused(
      'doubling if',
      chain(40, (next) => ({ if: next, then: next, else: next }), last),
    ),
    doublingWhenAsked(40),
    refused(
      'doubling unevaluatedProperties',
      chain(40, (next) => ({ allOf: [next, next], unevaluatedProperties: false }), {}),
      {
        a: 1,
      },
    ),
    refused(
      'tenfold allOf',
      chain(20, (next) => ({ allOf: times(10, () => next) }), last),
    ),
  ];
}

function recursive(): SchemaBomb[] {
  return [
    refused('itself', { $ref: '#' }),
    refused('itself twice', { allOf: [{ $ref: '#' }, { $ref: '#' }] }),
    refused('itself dynamically', { $dynamicAnchor: 'a', $dynamicRef: '#a' }),
    refused('two by turns', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }),
    bounded(
      'long chain of references',
      { $ref: '#/$defs/m0', $defs: { ...named(4_000, (i) => ({ $ref: `#/$defs/m${i + 1}` })), m4000: {} } },
      {},
    ),
  ];
}

function patterns(): SchemaBomb[] {
  const catastrophic = ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^([a-z]+)*$', '(.*a){12}$', '^(a?){50}a{50}$'];
  return [
    ...catastrophic.map((pattern) => bounded(`pattern ${pattern}`, { pattern }, LONG)),
    bounded('pattern of property names', { propertyNames: { pattern: '^(a+)+$' } }, { [LONG]: 1 }),
    bounded('patternProperties', { patternProperties: { '^(a+)+$': false } }, { [LONG]: 1 }),
    refused('repeated repetition', { pattern: '((a{1,1000}){1,1000}){1,1000}' }, LONG),
    refused('look-ahead', { pattern: '^(?=(a+)+$)' }, LONG),
    refused('back-reference', { pattern: '^(a+)\\1+$' }, LONG),
    refused('too many patterns', { allOf: times(65, () => ({ pattern: 'a' })) }, LONG),
  ];
}

function enums(): SchemaBomb[] {
  const pair = (i: number): JsonObject => ({ a: { b: [i] } });
  return [
    refused('enum of twenty thousand', { enum: times(20_001, (i) => i) }, 5),
    bounded('enum of objects', { enum: times(4_900, pair) }, pair(-1)),
    bounded(
      'enum of objects for every element',
      { items: { enum: times(4_000, pair) } },
      times(2_000, () => pair(-1)),
    ),
    bounded(
      'const of a long list',
      { items: { const: times(9_000, (i) => i) } },
      times(9, () => times(1_000, (i) => i)),
    ),
  ];
}

function costly(): SchemaBomb[] {
  return [
    bounded(
      'unique objects',
      { uniqueItems: true },
      times(2_400, (i) => ({ a: [i] })),
    ),
    bounded(
      'contains nothing',
      { contains: { enum: times(900, (i) => ({ a: i })) } },
      times(4_900, (i) => ({ b: i })),
    ),
    bounded('multiple of almost nothing', { multipleOf: 1e-300 }, 1e300),
    refused('promise', { $async: true, type: 'string' }, 5),
  ];
}
