import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { parseCaseFile, type CaseFile } from '../../domain/policy/case-file.js';
import { compileDocument, type CompiledPolicy } from '../../domain/policy/compile-policy.js';
import { parsePolicyYaml } from '../../domain/policy/policy-yaml.js';
import { runCases, type CaseResult } from '../../domain/policy/run-cases.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { formatOf, fromCaller } from './program-context.js';
import { inline } from '../terminal/escape.js';
import { printDocument, printRows, write, type OutputFormat } from '../terminal/output.js';
import { reading, readNamedText } from './document.js';

interface FileResult {
  readonly file: string;
  readonly policy: string;
  readonly cases: readonly CaseResult[];
}

export function registerPolicyTests(policies: Command): void {
  policies
    .command('test')
    .description(
      'Try policies on files of cases; needs no server. Exits with 1 when a case does not hold, with 2 when a file is wrong.',
    )
    .argument('<files...>', 'YAML: {policy: file or name, cases: [{name, tool, command | path | input, mode, expect}]}')
    .option('--failures', 'list only the cases that do not hold')
    .action((files: string[], flags: { failures?: boolean }, command: Command) =>
      test(files, flags.failures === true, formatOf(command)),
    );
}

function test(files: readonly string[], failuresOnly: boolean, format: OutputFormat): void {
  const results = files.map(testFile);
  const cases = results.flatMap((result) => result.cases);
  const failed = cases.filter(({ mismatches }) => mismatches.length > 0);
  if (format === 'table') for (const result of results) writeResult(result, failuresOnly);
  else printDocument(format, results);
  if (failed.length > 0) throw new CliError(`${failed.length} of ${cases.length} cases do not hold`, EXIT.failure);
  if (format === 'table') write(`${cases.length} cases hold`);
}

function testFile(file: string): FileResult {
  const { policy, cases } = reading(file, () => parseCaseFile(readNamedText(file)));
  const policyFile = findPolicy(policy, file === '-' ? fromCaller('.') : dirname(fromCaller(file)));
  return { file, policy: policyFile, cases: runCases(readPolicy(policyFile), cases) };
}

function readPolicy(file: string): CompiledPolicy {
  return reading(file, () => compileDocument(parsePolicyYaml(readNamedText(file))));
}

/** A file beside the cases; or a name: of a policy beside them, or of one that Sandgate is seeded with. */
function findPolicy(policy: CaseFile['policy'], folder: string): string {
  const isFile = /[/\\]|\.(?:ya?ml|json)$/.test(policy);
  const places = isFile ? [resolve(folder, policy)] : [join(folder, `${policy}.yaml`), ...seededPlaces(policy)];
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new CliError(
    `no policy ${inline(policy)}: looked for ${places.map((place) => inline(place)).join(', ')}`,
    EXIT.usage,
  );
}

/** `policies/` of the installation, wherever in it this file was built to. */
function seededPlaces(name: string): string[] {
  const places: string[] = [];
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) places.push(join(folder, 'policies', `${name}.yaml`));
  }
  return places;
}

function writeResult({ file, cases }: FileResult, failuresOnly: boolean): void {
  const listed = failuresOnly ? cases.filter(({ mismatches }) => mismatches.length > 0) : cases;
  write(inline(file));
  const columns = [
    { title: '', value: ({ mismatches }: CaseResult) => (mismatches.length === 0 ? 'ok' : 'FAILS') },
    { title: 'CASE', value: ({ name }: CaseResult) => name, width: 60 },
    { title: 'VERDICT', value: ({ verdict }: CaseResult) => verdict },
    { title: 'RULE', value: ({ rule }: CaseResult) => (rule === null ? 'none' : String(rule)) },
    {
      title: 'WHY',
      value: ({ mismatches, reason }: CaseResult) => (mismatches.length === 0 ? (reason ?? '') : mismatches.join('; ')),
      width: 90,
    },
  ];
  printRows('table', listed, columns, 'Every case holds.');
}
