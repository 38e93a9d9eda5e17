import type { Command } from 'commander';
import { contextOf } from './program-context.js';
import type { CommandContext } from './program-context.js';
import { findConnection, listConnections, revokeConnection, startAuthorization } from '../server/connections.js';
import { textOf } from '../server/event-data.js';
import { shortId } from '../server/runs.js';
import type { Connection, Snapshot } from '../server/wire.js';
import { confirm } from '../terminal/confirm.js';
import { inline } from '../terminal/escape.js';
import { firstLine, printDocument, printRecord, printRows, write } from '../terminal/output.js';
import type { BrowserFlags } from './browser-visit.js';
import { connectInBrowser } from './connect-in-browser.js';
import { printConnected } from './connected.js';
import { registerAddCommand } from './connections-add.js';
import { registerProbeCommand } from './connections-probe.js';

const KEY = 'name, id, or the beginning or end of an id';
const DESCRIPTION_WIDTH = 80;

export function registerConnectionCommands(program: Command): void {
  const connections = program
    .command('connections')
    .description('Credentials for remote MCP servers and code hosts, which agents use and never hold.');
  connections
    .command('list', { isDefault: true })
    .description("List the organization's connections and your own.")
    .action((_flags: unknown, command: Command) => list(contextOf(command)));
  connections
    .command('show')
    .description('Show a connection; never its secret.')
    .argument('<connection>', KEY)
    .action((key: string, _flags: unknown, command: Command) => show(key, contextOf(command)));
  registerAddCommand(connections);
  registerProbeCommand(connections);
  connections
    .command('connect')
    .description(
      'Authorize an OAuth connection in the browser, for the first time or again, and wait until it is active.',
    )
    .argument('<connection>', KEY)
    .option('--no-browser', 'print the address and open nothing')
    .action((key: string, flags: BrowserFlags, command: Command) => connect(key, flags, contextOf(command)));
  connections
    .command('tools')
    .description("Show the tools of a connection's newest snapshot.")
    .argument('<connection>', KEY)
    .action((key: string, _flags: unknown, command: Command) => tools(key, contextOf(command)));
  connections
    .command('refresh')
    .description('Take a new tool snapshot and say what changed; runs in flight keep what they froze.')
    .argument('<connection>', KEY)
    .action((key: string, _flags: unknown, command: Command) => refresh(key, contextOf(command)));
  connections
    .command('revoke')
    .description('Revoke a connection for good; runs that use it are denied from their next call on.')
    .argument('<connection>', KEY)
    .option('--yes', 'do not ask')
    .action((key: string, flags: { yes?: boolean }, command: Command) => revoke(key, flags, contextOf(command)));
}

async function list({ client, format }: CommandContext): Promise<void> {
  const columns = [
    { title: 'CONNECTION', value: (one: Connection) => shortId(one.id) },
    { title: 'NAME', value: (one: Connection) => one.display_name, width: 40 },
    { title: 'STATUS', value: (one: Connection) => one.status },
    { title: 'PROVIDER', value: (one: Connection) => one.provider },
    { title: 'SIGN-IN', value: (one: Connection) => one.auth_kind },
    { title: 'OWNER', value: (one: Connection) => one.owner },
    { title: 'AT', value: (one: Connection) => one.base_url ?? one.external_account_id, width: 60 },
  ];
  printRows(format, await listConnections(client), columns, 'No connections.');
}

async function show(key: string, { client, format }: CommandContext): Promise<void> {
  const connection = await findConnection(client, key);
  printRecord(format, connection, [
    ['Connection', connection.display_name],
    ['Id', connection.id],
    ['Status', statusOf(connection)],
    ['Provider', connection.provider],
    ['At', connection.base_url ?? connection.external_account_id],
    ['Sign-in', connection.auth_kind],
    ['Owner', connection.owner],
    ['Catalog', textOf(connection.metadata, 'catalog_slug')],
    ...(connection.oauth === null
      ? []
      : [
          ['Issuer', textOf(connection.oauth, 'issuer')] as const,
          ['Callback', textOf(connection.oauth, 'redirect_uri')] as const,
        ]),
    ['Scopes', (connection.granted_scopes.length > 0 ? connection.granted_scopes : connection.scopes).join(' ')],
    ['Generation', String(connection.authorization_generation)],
    ['Created', connection.created_at],
    ['Updated', connection.updated_at],
  ]);
}

function statusOf({ status, oauth }: Connection): string {
  const note = textOf(oauth ?? {}, 'error');
  return note === '' ? status : `${status}: ${note}`;
}

async function connect(key: string, flags: BrowserFlags, { client, format }: CommandContext): Promise<void> {
  const connection = await findConnection(client, key);
  const goUrl = await startAuthorization(client, connection.id);
  printConnected(await connectInBrowser(client, connection, goUrl, flags), format);
}

async function tools(key: string, { client, format }: CommandContext): Promise<void> {
  const { id } = await findConnection(client, key);
  const snapshot = await client.call((api) => api.GET('/v1/connections/{id}/tools', { params: { path: { id } } }));
  if (format !== 'table') return printDocument(format, snapshot);
  const columns = [
    { title: 'TOOL', value: (tool: Snapshot['tools'][number]) => tool.name, width: 64 },
    {
      title: 'DESCRIPTION',
      value: (tool: Snapshot['tools'][number]) => firstLine(tool.description),
      width: DESCRIPTION_WIDTH,
    },
  ];
  write(
    `Version ${snapshot.version} of ${snapshot.discovered_at}, MCP ${inline(snapshot.protocol_version)}, ${inline(snapshot.digest)}`,
  );
  printRows(format, snapshot.tools, columns, 'No tools.');
  if (snapshot.tools.some(isCut)) write('Descriptions are cut here; -o yaml prints what the model will read.');
}

function isCut({ description }: Snapshot['tools'][number]): boolean {
  return description !== firstLine(description) || inline(description).length > DESCRIPTION_WIDTH;
}

async function refresh(key: string, { client, format }: CommandContext): Promise<void> {
  const { id, display_name: name } = await findConnection(client, key);
  const answer = await client.call((api) =>
    api.POST('/v1/connections/{id}/tools/refresh', { params: { path: { id } } }),
  );
  if (format !== 'table') return printDocument(format, answer);
  write(`${inline(name)} has ${answer.tools.length} tools (v${answer.version}, ${inline(answer.digest)})`);
  const { changes } = answer;
  if (changes === null) return;
  const lines = [
    ...changes.added.map((tool) => `  + ${inline(tool)}`),
    ...changes.removed.map((tool) => `  - ${inline(tool)}`),
    ...changes.changed.map((tool) => `  ~ ${inline(tool)}`),
    ...(changes.protocol === null ? [] : [`  MCP ${inline(changes.protocol.from)} → ${inline(changes.protocol.to)}`]),
  ];
  write(lines.length === 0 ? 'Nothing changed.' : lines.join('\n'));
}

async function revoke(key: string, { yes }: { yes?: boolean }, { client, format }: CommandContext): Promise<void> {
  const { id, display_name: name } = await findConnection(client, key);
  if (yes !== true)
    await confirm(`the connection ${inline(name)}; runs that use it will be denied`, 'revoke', 'revoke');
  const answer = await revokeConnection(client, id);
  if (format === 'table') write(`${inline(name)} ${id} is ${answer.status}`);
  else printDocument(format, answer);
}
