/**
 * Holds the SQL of migrations/ and documents/migrations/: its layout (with `--write` it is put right), that PostgreSQL's own grammar takes every statement and
 * every body of a function, that every file is run by somebody, and squawk's rules for statements that a live database cannot bear.
 * Kept formatters were no use: they leave bodies in PL/pgSQL alone, lose their comments, or give every word a line.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { loadModule, parsePlPgSQLSync, parseSync } from 'libpg-query';
import { formatSql } from './format-sql.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const GENERATED = 'schema.sql';
const MAX_COLUMNS = 120;

await loadModule();
const write = process.argv.includes('--write');
const FOLDERS = ['migrations', 'documents/migrations'];

const found = FOLDERS.map(filesOf);
const faults = found.flatMap(({ folder, files, code }) =>
  files.flatMap((name) => {
    const path = join(folder, name);
    const text = readFileSync(join(root, path), 'utf8');
    return [
      ...(code.some((source) => source.includes(`'${name}'`))
        ? []
        : ['no migration and no list of functions names it']),
      ...faultsOfLayout(path, text),
      ...faultsOfStatements(text),
    ].map((fault) => `${path}: ${fault}`);
  }),
);
for (const fault of faults) console.error(fault);
const squawk = spawnSync(
  process.execPath,
  [
    'node_modules/squawk-cli/js/bin/squawk',
    ...found.flatMap(({ folder, files }) => files.map((name) => join(folder, name))),
  ],
  { cwd: root, encoding: 'utf8' },
);
if (squawk.status !== 0) process.stderr.write(`${squawk.stdout}${squawk.stderr}`);
process.exitCode = faults.length === 0 && squawk.status === 0 ? 0 : 1;

/** The SQL of a folder, and the code that runs it. */
function filesOf(folder) {
  const entries = readdirSync(join(root, folder), { recursive: true }).toSorted();
  return {
    folder,
    files: entries.filter((name) => name.endsWith('.sql') && name !== GENERATED),
    code: entries.filter((name) => name.endsWith('.ts')).map((name) => readFileSync(join(root, folder, name), 'utf8')),
  };
}

function faultsOfLayout(path, text) {
  const lines = text.split('\n');
  const faults = lines.flatMap((line, at) => [
    ...(line.length > MAX_COLUMNS ? [`line ${at + 1} has ${line.length} columns, more than ${MAX_COLUMNS}`] : []),
    ...(line.includes('\t') ? [`line ${at + 1} has a tab`] : []),
  ]);
  const formatted = formatSql(text);
  if (formatted === text) return faults;
  if (write) {
    writeFileSync(join(root, path), formatted);
    return faults;
  }
  const at = formatted.split('\n').findIndex((line, place) => line !== lines[place]);
  return [...faults, `line ${at + 1} is not laid out as \`npm run sql -- --write\` does it`];
}

function faultsOfStatements(text) {
  const source = Buffer.from(text);
  return attempt('', () => parseSync(text).stmts).flatMap((one) => {
    if (typeof one === 'string') return [one];
    const made = one.stmt.CreateFunctionStmt;
    if (made === undefined) return [];
    const start = one.stmt_location ?? 0;
    return faultsOfFunction(made, source.subarray(start, start + (one.stmt_len ?? source.length)).toString());
  });
}

function faultsOfFunction(made, statement) {
  const name = made.funcname.at(-1).String.sval;
  const option = (key) => made.options.find(({ DefElem }) => DefElem.defname === key)?.DefElem.arg;
  const faults = attempt(`${name}: `, () => {
    if (option('language').String.sval === 'sql') parseSync(option('as').List.items[0].String.sval);
    // The parser knows no types of ours and takes each for a row, which an array is not.
    else parsePlPgSQLSync(`${statement.replaceAll(/\b(doc)?svc_\w+\[\]/g, 'text[]')};`);
    return [];
  });
  if (made.replace !== true)
    faults.push(`${name}: is made again when its file changes, so it needs \`create or replace\``);
  if (option('security') !== undefined && !/ set search_path = pg_catalog, public, pg_temp\b/.test(statement)) {
    faults.push(`${name}: runs with other rights, so it needs \`set search_path = pg_catalog, public, pg_temp\``);
  }
  return faults;
}

/** What `work` answers, or the one fault that it throws. */
function attempt(prefix, work) {
  try {
    return work();
  } catch (error) {
    return [`${prefix}${error.message}`];
  }
}
