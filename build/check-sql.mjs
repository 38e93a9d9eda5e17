/**
 * Holds the SQL of migrations/: its layout (with `--write` it is put right), that PostgreSQL's own grammar takes every statement and
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
const folder = join(root, 'migrations');
const entries = readdirSync(folder, { recursive: true }).toSorted();
const files = entries.filter((name) => name.endsWith('.sql') && name !== GENERATED);
const code = entries.filter((name) => name.endsWith('.ts')).map((name) => readFileSync(join(folder, name), 'utf8'));

const faults = files.flatMap((name) => {
  const text = readFileSync(join(folder, name), 'utf8');
  return [
    ...(code.some((source) => source.includes(`'${name}'`)) ? [] : ['no migration and no list of functions names it']),
    ...faultsOfLayout(name, text),
    ...faultsOfStatements(text),
  ].map((fault) => `migrations/${name}: ${fault}`);
});
for (const fault of faults) console.error(fault);
const squawk = spawnSync(
  process.execPath,
  ['node_modules/squawk-cli/js/bin/squawk', ...files.map((name) => join('migrations', name))],
  { cwd: root, encoding: 'utf8' },
);
if (squawk.status !== 0) process.stderr.write(`${squawk.stdout}${squawk.stderr}`);
process.exitCode = faults.length === 0 && squawk.status === 0 ? 0 : 1;

function faultsOfLayout(name, text) {
  const lines = text.split('\n');
  const faults = lines.flatMap((line, at) => [
    ...(line.length > MAX_COLUMNS ? [`line ${at + 1} has ${line.length} columns, more than ${MAX_COLUMNS}`] : []),
    ...(line.includes('\t') ? [`line ${at + 1} has a tab`] : []),
  ]);
  const formatted = formatSql(text);
  if (formatted === text) return faults;
  if (write) {
    writeFileSync(join(folder, name), formatted);
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
    else parsePlPgSQLSync(`${statement.replaceAll(/\bsvc_\w+\[\]/g, 'text[]')};`);
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
