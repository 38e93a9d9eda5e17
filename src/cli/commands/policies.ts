import type { Command } from 'commander';
import { contextOf } from '../program-context.js';
import type { CommandContext } from '../program-context.js';
import type { Policy } from '../server/wire.js';
import { block } from '../terminal/escape.js';
import { printDocument, printRows, write } from '../terminal/output.js';

export function registerPolicyCommands(program: Command): void {
  const policies = program.command('policies').description('List and show policies.');
  policies
    .command('list', { isDefault: true })
    .description('List the newest version of every policy.')
    .action((_flags: unknown, command: Command) => list(contextOf(command)));
  policies
    .command('show')
    .description('Print a policy, as YAML.')
    .argument('<policy>', 'name')
    .option('--version <number>', 'an earlier version')
    .action((name: string, flags: { version?: string }, command: Command) =>
      show(name, flags.version, contextOf(command)),
    );
}

async function list({ client, format }: CommandContext): Promise<void> {
  const { policies } = await client.call((api) => api.GET('/v1/policies'));
  const columns = [
    { title: 'POLICY', value: (policy: Policy) => policy.name, width: 40 },
    { title: 'VERSION', value: (policy: Policy) => String(policy.version) },
    { title: 'UPDATED', value: (policy: Policy) => policy.updated_at.slice(0, 19).replace('T', ' ') },
    { title: 'SUMMARY', value: (policy: Policy) => policy.summary ?? '', width: 70 },
  ];
  printRows(format, policies, columns, 'No policies.');
}

async function show(name: string, version: string | undefined, { client, format }: CommandContext): Promise<void> {
  const policy = await client.call((api) =>
    version === undefined
      ? api.GET('/v1/policies/{name}', { params: { path: { name } } })
      : api.GET('/v1/policies/{name}/versions/{version}', { params: { path: { name, version: Number(version) } } }),
  );
  if (format === 'table') write(block(policy.yaml).trimEnd());
  else printDocument(format, policy);
}
