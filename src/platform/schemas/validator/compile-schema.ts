import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { SchemaDialect } from '../../../domain/gate/schema-dialect.js';
import type { JsonObject, JsonValue } from '../../../domain/json.js';
import { schemaPatterns } from './pattern.js';

/** Instance paths of what a document breaks; none when it is valid. */
export type Validator = (document: JsonValue) => string[];

const OPTIONS: Options = {
  // Keywords and formats that the dialect does not know mean nothing; `$schema` is one of them (docs/design/gate.md).
  strict: false,
  // A number beyond the range of doubles reads as infinite, which no reader could hold.
  strictNumbers: true,
  validateFormats: false,
  meta: false,
  validateSchema: false,
  // Names of prototypes are data: `required: ["constructor"]` is not met by every object.
  ownProperties: true,
  allErrors: true,
  messages: false,
  logger: false,
  inlineRefs: false,
  addUsedSchema: false,
  code: { regExp: schemaPatterns, optimize: false },
};

/**
 * Compiles a frozen schema in its dialect. Runs in a validator's thread alone; whoever compiles there bounds its time. Each
 * schema has a compiler of its own, because one remembers every `$id` it has seen, and the next schema could refer to it.
 *
 * @throws whatever the compiler finds wrong with the schema
 */
export function compileSchema(schema: JsonObject, dialect: SchemaDialect): Validator {
  if (!isOfDialect(schema, dialect)) throw new TypeError('not a schema of its dialect');
  const validate = compilerOf(dialect).compile(schema);
  // An asynchronous validator answers with a promise, which is not `false`.
  if ('$async' in validate) throw new TypeError('an asynchronous schema cannot be used');
  return (document) => instancePaths(validate, document);
}

const META = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema#',
} as const;
const metaValidators = new Map<SchemaDialect, (schema: JsonObject) => boolean>();

/** A compiler accepts many malformed schemas and then lets everything pass; the dialect's own schema finds them. */
function isOfDialect(schema: JsonObject, dialect: SchemaDialect): boolean {
  const validate = metaValidators.get(dialect) ?? metaValidatorOf(dialect);
  metaValidators.set(dialect, validate);
  return validate(schema);
}

function metaValidatorOf(dialect: SchemaDialect): (schema: JsonObject) => boolean {
  const options: Options = { ...OPTIONS, meta: true, allErrors: false };
  const compiler = dialect === '2020-12' ? new Ajv2020(options) : new Ajv(options);
  const validate = compiler.getSchema(META[dialect]);
  if (validate === undefined) throw new Error(`the compiler knows no ${dialect}`);
  return (schema) => validate(schema) === true;
}

function compilerOf(dialect: SchemaDialect): Ajv {
  if (dialect === '2020-12') return new Ajv2020(OPTIONS);
  return new Ajv({ ...OPTIONS, ignoreKeywordsWithRef: true });
}

function instancePaths(validate: ValidateFunction, document: JsonValue): string[] {
  if (validate(document) === true) return [];
  const paths = (validate.errors ?? []).map((error) => error.instancePath);
  return paths.length === 0 ? [''] : paths;
}
