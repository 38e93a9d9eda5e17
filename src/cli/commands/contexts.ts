import type { Command } from 'commander';
import { LOCAL, localUrl, unknownContext, type ConnectionFlags } from '../server/connection.js';
import { CredentialsFile } from '../server/credentials-file.js';
import { printRows, write } from '../terminal/output.js';
import { flagsOf, formatOf } from './program-context.js';

interface ContextRow {
  name: string;
  current: boolean;
  url: string | null;
  expires_at: string | null;
}

const COLUMNS = [
  { title: '', value: (row: ContextRow) => (row.current ? '*' : '') },
  { title: 'CONTEXT', value: (row: ContextRow) => row.name },
  { title: 'SERVER', value: (row: ContextRow) => row.url ?? 'no installation runs on this machine' },
  { title: 'ENDS', value: (row: ContextRow) => endOf(row) },
];

export function registerContextCommands(program: Command): void {
  program
    .command('contexts')
    .description('List the servers that were signed in to; * marks the one in use.')
    .action((_flags: unknown, command: Command) => list(command));
  const context = program.command('context').description('Choose among the servers that were signed in to.');
  context
    .command('list', { isDefault: true })
    .description('The same as contexts.')
    .action((_flags: unknown, command: Command) => list(command));
  context
    .command('use')
    .description('Use this server from now on.')
    .argument('<name>', `name of a context; ${LOCAL} for the installation on this machine`)
    .action((name: string) => use(name));
}

function list(command: Command): void {
  printRows(formatOf(command), rowsOf(flagsOf(command)), COLUMNS, '');
}

function rowsOf(flags: ConnectionFlags): ContextRow[] {
  const { current, contexts } = new CredentialsFile(process.env).read();
  const local = {
    name: LOCAL,
    current: current === null,
    url: localUrl(flags, process.env) ?? null,
    expires_at: null,
  };
  const others = Object.entries(contexts).map(([name, { url, expires_at }]) => ({
    name,
    current: name === current,
    url,
    expires_at,
  }));
  return [local, ...others];
}

async function use(name: string): Promise<void> {
  await new CredentialsFile(process.env).change((before) => {
    if (name !== LOCAL && before.contexts[name] === undefined) throw unknownContext(name, before.contexts);
    return { ...before, current: name === LOCAL ? null : name };
  });
  write(name === LOCAL ? 'In use: the installation on this machine' : `In use: ${name}`);
}

function endOf({ expires_at: end }: ContextRow): string {
  if (end === null) return '';
  return Date.parse(end) > Date.now() ? end.slice(0, 10) : `${end.slice(0, 10)} (over)`;
}
