import type { Command } from 'commander';
import { validatePolicyYaml } from '../../domain/policy/policy-yaml.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { contextOf } from './program-context.js';
import type { CommandContext } from './program-context.js';
import { inline } from '../terminal/escape.js';
import { printDocument, write } from '../terminal/output.js';
import { readNamedText } from './document.js';

interface Validity {
  readonly file: string;
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly name: string | null;
}

export function registerPolicyValidation(policies: Command): void {
  policies
    .command('validate')
    .description('Say whether files are valid policies; needs no server. Exits with 2 when one is not.')
    .argument('<files...>', 'YAML or JSON, - for standard input')
    .option('--remote', 'let the server judge, whose version may differ')
    .action((files: string[], flags: { remote?: boolean }, command: Command) =>
      validate(files, flags.remote === true, contextOf(command)),
    );
}

async function validate(files: readonly string[], remote: boolean, context: CommandContext): Promise<void> {
  const results: Validity[] = [];
  for (const file of files) {
    const yaml = readNamedText(file);
    results.push(remote ? await validateRemotely(file, yaml, context) : validateHere(file, yaml));
  }
  if (context.format === 'table') for (const result of results) writeResult(result);
  else printDocument(context.format, results);
  const invalid = results.filter(({ valid }) => !valid).length;
  if (invalid > 0) throw new CliError(`${invalid} of ${results.length} files are not valid policies`, EXIT.usage);
}

function validateHere(file: string, yaml: string): Validity {
  const { document, errors } = validatePolicyYaml(yaml);
  return { file, valid: document !== null, errors, name: document?.name ?? null };
}

async function validateRemotely(file: string, yaml: string, { client }: CommandContext): Promise<Validity> {
  const { valid, errors, name } = await client.call((api) => api.POST('/v1/policies/validate', { body: { yaml } }));
  return { file, valid, errors, name: name ?? null };
}

function writeResult({ file, valid, errors, name }: Validity): void {
  write(valid ? `${inline(file)}: valid, policy ${inline(name ?? '')}` : `${inline(file)}: not valid`);
  for (const error of errors) write(`  ${inline(error)}`);
}
