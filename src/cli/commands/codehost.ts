import type { Command } from 'commander';
import { connectionsOf, findApp, listApps } from '../server/codehost-apps.js';
import { findConnection } from '../server/connections.js';
import { shortId } from '../server/runs.js';
import type { SandgateClient } from '../server/sandgate-client.js';
import type { AppRegistration, Connection } from '../server/wire.js';
import { confirm } from '../terminal/confirm.js';
import { inline } from '../terminal/escape.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { printDocument, printRows, write } from '../terminal/output.js';
import { visitInBrowser, type BrowserFlags } from './browser-visit.js';
import { contextOf, type CommandContext } from './program-context.js';

/** A flow lasts an hour; what its last page asks of the host may end a little later. */
const PATIENCE_MS = 61 * 60_000;
const WITHIN = 'the hour';
const KEY = 'slug or name, id, or the beginning or end of an id';

interface ConnectFlags extends BrowserFlags {
  readonly organization?: string;
}

export function registerCodehostCommands(program: Command): void {
  const codehost = program
    .command('codehost')
    .description('Apps of the organization at its code host: they read repositories, hear events and publish results.');
  codehost
    .command('list', { isDefault: true })
    .description('List the apps that were registered.')
    .action((_flags: unknown, command: Command) => list(contextOf(command)));
  codehost
    .command('connect')
    .description('Register an app in the browser, and wait until its keys are here; then install it.')
    .option('--organization <name>', 'organization of the code host that will own it; your own account when left out')
    .option('--no-browser', 'print the address and open nothing')
    .action((flags: ConnectFlags, command: Command) => connect(flags, contextOf(command)));
  codehost
    .command('install')
    .description('Install an app on repositories in the browser, and wait until the installation is connected.')
    .argument('<app>', KEY)
    .option('--no-browser', 'print the address and open nothing')
    .action((key: string, flags: BrowserFlags, command: Command) => install(key, flags, contextOf(command)));
  codehost
    .command('sync')
    .description('Connect every installation of an app that the code host lists.')
    .argument('<app>', KEY)
    .action((key: string, _flags: unknown, command: Command) => sync(key, contextOf(command)));
  codehost
    .command('approve')
    .description(
      'Let a connection of an app be used that was discovered, suspended or revoked, once the host confirms it.',
    )
    .argument('<connection>', 'name, id, or the beginning or end of an id')
    .action((key: string, _flags: unknown, command: Command) => approve(key, contextOf(command)));
  codehost
    .command('revoke')
    .description('Revoke an app for good, with every connection that lives by it.')
    .argument('<app>', KEY)
    .option('--yes', 'do not ask')
    .action((key: string, flags: { yes?: boolean }, command: Command) => revoke(key, flags, contextOf(command)));
}

async function list({ client, format }: CommandContext): Promise<void> {
  const columns = [
    { title: 'APP', value: (app: AppRegistration) => shortId(app.id) },
    { title: 'SLUG', value: (app: AppRegistration) => app.slug ?? '', width: 40 },
    { title: 'STATUS', value: (app: AppRegistration) => app.status },
    { title: 'OWNER', value: (app: AppRegistration) => app.owner_login ?? app.target_org ?? '', width: 40 },
    { title: 'EVENTS', value: (app: AppRegistration) => (app.has_webhook_secret ? 'yes' : 'no') },
    { title: 'CREATED', value: (app: AppRegistration) => app.created_at.slice(0, 10) },
  ];
  printRows(format, await listApps(client), columns, 'No apps; sandgate codehost connect registers one.');
}

async function connect(flags: ConnectFlags, { client, format }: CommandContext): Promise<void> {
  const body = flags.organization === undefined ? {} : { organization: flags.organization };
  const { registration, go_url: goUrl } = await client.call((api) =>
    api.POST('/v1/codehost/app/manifest/start', { body }),
  );
  const app = await visitInBrowser(
    {
      goUrl,
      what: 'the registration of the app',
      within: WITHIN,
      patienceMs: PATIENCE_MS,
      look: () => registered(client, registration.id),
      again: 'sandgate codehost connect',
    },
    flags,
  );
  if (format !== 'table') return printDocument(format, app);
  const events = app.has_webhook_secret ? 'it will tell of pull requests' : 'it cannot tell of events';
  write(`${nameOf(app)} ${app.id} is ${app.status}; ${events}`);
  write(`Install it from the page in the browser, or with: sandgate codehost install ${inline(app.slug ?? app.id)}`);
}

async function registered(client: SandgateClient, id: string): Promise<AppRegistration | null> {
  const app = await findApp(client, id);
  if (app.status === 'revoked') throw new CliError('the registration was revoked meanwhile', EXIT.conflict);
  return app.status === 'active' ? app : null;
}

async function install(key: string, flags: BrowserFlags, { client, format }: CommandContext): Promise<void> {
  const app = await findApp(client, key);
  const before = new Map((await connectionsOf(client, app)).map(({ id, updated_at: at }) => [id, at]));
  const { go_url: goUrl } = await client.call((api) =>
    api.POST('/v1/codehost/app/{id}/install/start', { params: { path: { id: app.id } } }),
  );
  const connection = await visitInBrowser(
    {
      goUrl,
      what: `an installation of ${nameOf(app)}`,
      within: WITHIN,
      patienceMs: PATIENCE_MS,
      look: () => installedSince(client, app, before),
      again: `sandgate codehost install ${app.id}`,
    },
    flags,
  );
  printConnections([connection], format);
}

/** A connection of the app that is new or was brought up to date. A webhook may be first, and leaves it pending. */
async function installedSince(
  client: SandgateClient,
  app: AppRegistration,
  before: ReadonlyMap<string, string>,
): Promise<Connection | null> {
  await registered(client, app.id);
  const changed = (await connectionsOf(client, app)).filter(({ id, updated_at: at }) => before.get(id) !== at);
  return changed.find(({ status }) => status === 'active' || status === 'suspended') ?? null;
}

async function sync(key: string, { client, format }: CommandContext): Promise<void> {
  const { id } = await findApp(client, key);
  const synced = await client.call((api) => api.POST('/v1/codehost/app/{id}/sync', { params: { path: { id } } }));
  if (format !== 'table') return printDocument(format, synced);
  if (synced.installations === 0) write('The code host lists no installation of it.');
  printConnections(synced.connections, format);
  for (const { installation_id: installation, reason } of synced.conflicts)
    write(`installation ${inline(installation)} was left as it is: ${inline(reason)}`);
}

async function approve(key: string, { client, format }: CommandContext): Promise<void> {
  const { id } = await findConnection(client, key);
  const approved = await client.call((api) => api.POST('/v1/connections/{id}/approve', { params: { path: { id } } }));
  if (format === 'table') printConnections([approved], format);
  else printDocument(format, approved);
}

async function revoke(key: string, { yes }: { yes?: boolean }, { client, format }: CommandContext): Promise<void> {
  const app = await findApp(client, key);
  if (yes !== true)
    await confirm(`the app ${nameOf(app)} with its connections; runs that use them will be denied`, 'revoke', 'revoke');
  const answer = await client.call((api) =>
    api.POST('/v1/codehost/app/{id}/revoke', { params: { path: { id: app.id } } }),
  );
  if (format !== 'table') return printDocument(format, answer);
  const { length } = answer.revoked_connections;
  write(`${nameOf(app)} ${app.id} is revoked, with ${length} ${length === 1 ? 'connection' : 'connections'}`);
  if (app.html_url !== null) write(`Delete it at the code host, too: ${inline(app.html_url)}`);
}

function printConnections(connections: readonly Connection[], format: CommandContext['format']): void {
  if (format !== 'table') return printDocument(format, connections.length === 1 ? connections[0] : connections);
  for (const { display_name: name, id, status } of connections) write(`${inline(name)} ${id} is ${status}`);
}

function nameOf({ name, slug, id }: AppRegistration): string {
  return inline(name ?? slug ?? id);
}
