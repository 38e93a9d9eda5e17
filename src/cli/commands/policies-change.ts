import type { Command } from 'commander';
import type { Schemas } from '../../client/client.js';
import { contextOf } from './program-context.js';
import type { CommandContext } from './program-context.js';
import type { Policy } from '../server/wire.js';
import { wholeNumber } from '../terminal/arguments.js';
import { confirm } from '../terminal/confirm.js';
import { inline } from '../terminal/escape.js';
import { printDocument, printRows, write } from '../terminal/output.js';
import { readNamedText } from './document.js';
import { nameInDocument, parsePolicyText } from './policy-file.js';

interface PublishFlags {
  readonly base: number;
  readonly summary: string;
}

interface CloneFlags {
  readonly from?: string;
  readonly fromVersion?: number;
}

type Imported = Schemas['ImportedPolicy'];

export function registerPolicyChanges(policies: Command): void {
  registerAppends(policies);
  policies
    .command('clone')
    .description('Make a policy from another one; without --from it is blank and everything asks.')
    .argument('<name>', 'name of the new policy')
    .option('--from <policy>', 'the policy to copy')
    .option('--from-version <number>', 'a version of it other than the head', wholeNumber)
    .action((name: string, flags: CloneFlags, command: Command) => clone(name, flags, contextOf(command)));
  policies
    .command('delete')
    .description('Delete a policy with all its versions; refused while an agent revision names it.')
    .argument('<policy>', 'name')
    .option('-y, --yes', 'do not ask')
    .action((name: string, flags: { yes?: boolean }, command: Command) =>
      remove(name, flags.yes === true, contextOf(command)),
    );
}

function registerAppends(policies: Command): void {
  policies
    .command('import')
    .description(
      'Create policies from YAML files, or append the versions that replace them; the same content appends nothing.',
    )
    .argument('<files...>', 'YAML, - for standard input')
    .action((files: string[], _flags: unknown, command: Command) => importFiles(files, contextOf(command)));
  policies
    .command('publish')
    .description('Append a draft after the version that it started from; refused with 5 when the head has moved.')
    .argument('<policy>', 'name')
    .argument('<file>', 'the draft as YAML or JSON, - for standard input')
    .requiredOption('--base <version>', 'the version that the draft started from', wholeNumber)
    .requiredOption('-m, --summary <text>', 'what changed and why')
    .action((name: string, file: string, flags: PublishFlags, command: Command) =>
      publish(name, file, flags, contextOf(command)),
    );
  policies
    .command('revert')
    .description('Append the content of an earlier version as the new head.')
    .argument('<policy>', 'name')
    .argument('<version>', 'the version to return to', wholeNumber)
    .option('--base <version>', 'the head that you have seen; the present one otherwise', wholeNumber)
    .action((name: string, version: number, flags: { base?: number }, command: Command) =>
      revert(name, version, flags.base, contextOf(command)),
    );
}

async function importFiles(files: readonly string[], { client, format }: CommandContext): Promise<void> {
  const documents = files.map((file) => {
    const yaml = readNamedText(file);
    return { name: nameInDocument(yaml, file), yaml };
  });
  const imported: Imported[] = [];
  for (const body of documents) imported.push(await client.call((api) => api.POST('/v1/policies', { body })));
  const columns = [
    { title: 'POLICY', value: (policy: Imported) => policy.name, width: 40 },
    { title: 'VERSION', value: (policy: Imported) => String(policy.version) },
    { title: 'RESULT', value: (policy: Imported) => (policy.appended ? 'appended' : 'unchanged') },
  ];
  printRows(format, imported, columns, 'Nothing to import.');
}

async function publish(name: string, file: string, flags: PublishFlags, context: CommandContext): Promise<void> {
  const content = parsePolicyText(readNamedText(file), file) as Record<string, unknown>;
  const body = { content, summary: flags.summary, base_version: flags.base };
  const path = { name };
  printHead(
    await context.client.call((api) => api.POST('/v1/policies/{name}/publish', { params: { path }, body })),
    context,
  );
}

async function revert(name: string, version: number, base: number | undefined, context: CommandContext): Promise<void> {
  const { client } = context;
  const path = { name };
  const seen = base ?? (await client.call((api) => api.GET('/v1/policies/{name}', { params: { path } }))).version;
  const body = { version, base_version: seen };
  printHead(await client.call((api) => api.POST('/v1/policies/{name}/revert', { params: { path }, body })), context);
}

async function clone(name: string, { from, fromVersion }: CloneFlags, context: CommandContext): Promise<void> {
  const body = {
    name,
    ...(from === undefined ? {} : { from }),
    ...(fromVersion === undefined ? {} : { from_version: fromVersion }),
  };
  printHead(await context.client.call((api) => api.POST('/v1/policies/clone', { body })), context);
}

async function remove(name: string, yes: boolean, { client, format }: CommandContext): Promise<void> {
  if (!yes) await confirm(`the policy ${inline(name)} with all its versions`, name);
  const answer = await client.call((api) => api.DELETE('/v1/policies/{name}', { params: { path: { name } } }));
  if (format === 'table') write(`${inline(name)}: deleted`);
  else printDocument(format, answer);
}

function printHead(policy: Policy, { format }: CommandContext): void {
  if (format === 'table') write(`${inline(policy.name)} version ${policy.version}`);
  else printDocument(format, policy);
}
