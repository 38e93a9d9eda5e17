import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/domain/json.js';
import type { RuleNode } from '../../domain/benchmark/rule.js';
import { rulesOfReceipts, rulesOfSchema } from '../../domain/benchmark/rules-of-schema.js';
import { DocsvcError } from '../../domain/errors.js';
import { checkSchema } from '../../domain/schemas/check-schema.js';
import { compileSchema, type CompiledSchema } from '../../domain/schemas/compile-schema.js';

/** A document whose right values are known. */
export interface GoldDocument {
  name: string;
  file: string;
  gold: JsonValue;
  /** Paths that are not scored, because the document does not print them. */
  unscored: string[];
  /** Boxes of the lines of a picture, where there are some. */
  boxesFile: string | null;
}

/** Documents of one schema. */
export interface GoldClass {
  name: string;
  schema: JsonObject;
  compiled: CompiledSchema;
  rules: RuleNode;
  documents: GoldDocument[];
}

const GOLD = '.gold.json';
/** A document may be there as a PDF and as a picture: the first of these is taken. */
const ENDINGS = [
  'pdf',
  'png',
  'jpg',
  'jpeg',
  'tif',
  'tiff',
  'webp',
  'bmp',
  'xlsx',
  'xls',
  'ods',
  'csv',
  'tsv',
  'txt',
  'md',
];

/**
 * The classes in a folder and the folders in it: a `schema.json` with a `<name>.gold.json` beside each document. A `schema.original.json` may publish how
 * each key is scored, an `index.json` which paths are not (`notPrinted`), and a `<name>.boxes.csv` where the lines of a receipt are.
 *
 * @throws DocsvcError for a folder without gold, for gold without a document, and for a schema with faults
 */
export function goldClassesOf(folder: string): GoldClass[] {
  if (!existsSync(folder)) throw new DocsvcError('not_found', `there is no folder ${folder}`);
  const inside = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => basename(name) === 'schema.json',
  );
  const classes = inside
    .map((name) => join(folder, name, '..'))
    .sort()
    .map(classOf)
    .filter(({ documents }) => documents.length > 0);
  if (classes.length === 0) {
    throw new DocsvcError(
      'not_found',
      `${folder} has no gold: put schema.json and a <name>${GOLD} beside each document`,
    );
  }
  return classes;
}

function classOf(folder: string): GoldClass {
  const schema = readJson(join(folder, 'schema.json'));
  const { faults } = checkSchema(schema);
  const [fault] = faults;
  if (fault !== undefined || !isJsonObject(schema)) {
    const said = `${fault?.path ?? ''} ${fault?.message ?? 'is not an object'}`;
    throw new DocsvcError('schema_invalid', `${join(folder, 'schema.json')}: ${said}`);
  }
  const compiled = compileSchema(schema);
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(GOLD))
    .map((name) => name.slice(0, -GOLD.length))
    .sort();
  const index = indexOf(folder);
  const documents = names.map((name) => documentOf(folder, name, index.get(name) ?? []));
  const published = join(folder, 'schema.original.json');
  const areReceipts = documents.some(({ boxesFile }) => boxesFile !== null);
  const rules = areReceipts
    ? rulesOfReceipts(compiled.root)
    : rulesOfSchema(compiled.root, existsSync(published) ? readJson(published) : null);
  return { name: basename(folder), schema, compiled, rules, documents };
}

function documentOf(folder: string, name: string, unscored: string[]): GoldDocument {
  const file = ENDINGS.map((ending) => join(folder, `${name}.${ending}`)).find((path) => existsSync(path));
  if (file === undefined) throw new DocsvcError('not_found', `${join(folder, name)}${GOLD} has no document beside it`);
  const boxes = join(folder, `${name}.boxes.csv`);
  return {
    ...{ name, file, unscored, gold: readJson(join(folder, `${name}${GOLD}`)) },
    boxesFile: existsSync(boxes) ? boxes : null,
  };
}

/** Paths that are not scored, by the name of the document. */
function indexOf(folder: string): Map<string, string[]> {
  const file = join(folder, 'index.json');
  const index = existsSync(file) ? readJson(file) : [];
  return new Map(
    (Array.isArray(index) ? index : []).flatMap((one) => {
      if (!isJsonObject(one) || typeof one['name'] !== 'string' || !Array.isArray(one['notPrinted'])) return [];
      return [[one['name'], one['notPrinted'].filter((path) => typeof path === 'string')] as const];
    }),
  );
}

function readJson(file: string): JsonValue {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as JsonValue;
  } catch (error) {
    throw new DocsvcError('invalid_request', `${file} is no JSON`, { cause: error });
  }
}
