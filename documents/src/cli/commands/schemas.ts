import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { diffSchemas } from '../../domain/schemas/diff-schemas.js';
import { CliContext } from '../context/cli-context.js';
import { askForSchema, sheetBody } from '../schemas/made-schema-version.js';
import { readSchemaFile, tellFaults } from '../schemas/schema-files.js';
import type { Schemas } from '../server/schemas.js';
import { callerPath } from '../settings/caller-folder.js';
import { safeJson } from '../terminal/escape.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { documentId } from '../verbs/document-verbs.js';
import { schemaId, schemasPath } from '../verbs/schema-verbs.js';
import { groupOf, listOf } from '../verbs/verb.js';

const MADE = { ID: 'id', Name: 'name', Version: 'latestVersion', Fields: 'schemaVersion.fieldCount' };
const VERSION = { Version: 'version', ID: 'id', Fields: 'fieldCount', Source: 'source' };
const FAULT = { Path: 'path', Code: 'code', Fault: 'message', Suggestion: 'suggestion' };
const CHANGE = { Path: 'path', Change: 'change', Before: 'before', After: 'after' };

/** Verbs for schemas that read or write files, or ask more than once (DI-010 to DI-013). */
export function addSchemas(program: Command): void {
  const schemas = groupOf(program, 'schemas').description('what is looked for in documents');
  schemas
    .command('create <name> <file>')
    .description('make a schema from a file of JSON Schema; - is standard input')
    .option('--description <text>', 'what it is for')
    .action(create);
  schemas
    .command('version <schema> <file>')
    .description('add a version from a file; - is standard input')
    .option('--base <number>', 'version on which it builds; the newest without it')
    .action(addVersion);
  schemas
    .command('validate <file>')
    .description('say everything that is wrong with a file of JSON Schema; - is standard input')
    .action(validate);
  schemas
    .command('generate <words...>')
    .description('make a schema from words, as in "vendor name, total in EUR, lines with item, price"')
    .option('--documents <list>', 'documents that show how fields are named, by id or name')
    .option('--save <name>', 'keep it in the project under this name')
    .action(generate);
  schemas
    .command('infer <sheet>')
    .description('make a schema from a spreadsheet: a file, which is not kept, or a document of the project')
    .option('--sheet <name>', 'the first one with a table without it')
    .option('--header-row <number>', 'row in which the header ends')
    .option('--shape <shape>', 'rows or record')
    .option('--save <name>', 'keep it in the project under this name')
    .action(infer);
  schemas
    .command('diff <schema>')
    .description('say what has changed between two versions')
    .option('--from <number>', 'the one before the newest without it')
    .option('--to <number>', 'the newest without it')
    .action(diff);
  schemas
    .command('export <schema>')
    .description('print a version as JSON Schema')
    .option('--version <number>', 'the newest without it')
    .option('--to <file>', 'where; standard output without it')
    .action(exportSchema);
}

async function create(name: string, file: string, flags: { description?: string }, command: Command): Promise<void> {
  const context = CliContext.of(command);
  const jsonSchema = await readSchemaFile(file);
  const body = { name, jsonSchema, ...(flags.description === undefined ? {} : { description: flags.description }) };
  const path = schemasPath(context);
  context.printRecord(await tellFaults(context, () => context.api.object(path, { method: 'POST', body })), MADE);
}

async function addVersion(named: string, file: string, flags: { base?: string }, command: Command): Promise<void> {
  const context = CliContext.of(command);
  const jsonSchema = await readSchemaFile(file);
  const path = `/api/schemas/${await schemaId(context, named)}`;
  const baseVersion =
    flags.base === undefined
      ? (await context.api.object<Schemas['SchemaView']>(path)).latestVersion
      : numberOf('--base', flags.base);
  const body = { jsonSchema, baseVersion };
  const made = await tellFaults(context, () => context.api.object(`${path}/versions`, { method: 'POST', body }));
  context.printRecord(made, VERSION);
}

async function validate(file: string, _flags: object, command: Command): Promise<void> {
  const context = CliContext.of(command);
  const body = { jsonSchema: await readSchemaFile(file) };
  const path = `${schemasPath(context)}/validate`;
  const checked = await context.api.object<Schemas['SchemaValidation']>(path, { method: 'POST', body });
  if (context.style.format === 'json') context.print(safeJson(checked, 2));
  else context.printRows(checked.errors, FAULT);
  if (checked.valid) context.note(`the schema is good: ${checked.fieldCount} fields, ${checked.depth} deep`);
  else throw new CliError(`the schema has ${checked.errors.length} faults`);
}

interface SaveFlag {
  save?: string;
}

async function generate(words: string[], flags: SaveFlag & { documents?: string }, command: Command): Promise<void> {
  const context = CliContext.of(command);
  const named = listOf(flags.documents) ?? [];
  const documentIds = await Promise.all(named.map((one) => documentId(context, one)));
  const body = {
    description: words.join(' '),
    ...(documentIds.length === 0 ? {} : { documentIds }),
    ...savedAs(flags),
  };
  await printMade(context, 'generate', body);
}

interface InferFlags extends SaveFlag {
  sheet?: string;
  headerRow?: string;
  shape?: string;
}

async function infer(named: string, flags: InferFlags, command: Command): Promise<void> {
  const context = CliContext.of(command);
  const headerRow = flags.headerRow === undefined ? undefined : numberOf('--header-row', flags.headerRow);
  await printMade(context, 'infer', await sheetBody(context, named, { ...flags, headerRow }, savedAs(flags)));
}

function savedAs({ save }: SaveFlag): object {
  return save === undefined ? {} : { save: true, name: save };
}

/** The schema is the data; what is uncertain in it is a remark. */
async function printMade(context: CliContext, how: 'generate' | 'infer', body: object): Promise<void> {
  const made = await askForSchema(context, how, body);
  context.print(safeJson(made.jsonSchema, 2));
  const { schema } = made;
  if (schema !== null) context.note(`saved as ${schema.name}, ${schema.id}, version ${made.schemaVersion?.version}`);
}

async function diff(named: string, flags: { from?: string; to?: string }, command: Command): Promise<void> {
  const context = CliContext.of(command);
  const versions = await versionsOf(context, named);
  const newest = versions[0]?.version ?? 1;
  const to = flags.to === undefined ? newest : numberOf('--to', flags.to);
  const from = flags.from === undefined ? to - 1 : numberOf('--from', flags.from);
  if (from < 1) throw new CliError(`${named} has one version, so there is nothing to compare`, EXIT.notFound);
  const [before, after] = [versionOf(versions, from), versionOf(versions, to)];
  context.printRows(diffSchemas(before.jsonSchema as never, after.jsonSchema as never), CHANGE);
}

async function exportSchema(named: string, flags: { version?: string; to?: string }, command: Command): Promise<void> {
  const context = CliContext.of(command);
  const versions = await versionsOf(context, named);
  const wanted = flags.version === undefined ? versions[0]?.version : numberOf('--version', flags.version);
  const text = safeJson(versionOf(versions, wanted ?? 1).jsonSchema, 2);
  if (flags.to === undefined || flags.to === '-') {
    context.print(text);
    return;
  }
  const path = callerPath(flags.to);
  writeFileSync(path, `${text}\n`, { flag: 'wx' });
  context.note(`saved ${path}`);
}

type Version = Schemas['SchemaVersionView'];

async function versionsOf(context: CliContext, named: string): Promise<Version[]> {
  return context.api.rows<Version>(`/api/schemas/${await schemaId(context, named)}/versions`, {});
}

function versionOf(versions: readonly Version[], number: number): Version {
  const found = versions.find(({ version }) => version === number);
  if (found === undefined) throw new CliError(`the schema has no version ${number}`, EXIT.notFound);
  return found;
}

function numberOf(flag: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CliError(`${flag} is a whole number from 1 on`, EXIT.usage);
}
