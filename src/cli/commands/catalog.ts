import type { Command } from 'commander';
import type { Schemas } from '../../client/client.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { contextOf } from './program-context.js';
import type { CommandContext } from './program-context.js';
import type { CatalogEntry } from '../server/wire.js';
import { wordsOf } from '../terminal/arguments.js';
import { inline } from '../terminal/escape.js';
import { printDocument, printRecord, printRows, write } from '../terminal/output.js';
import { readSecret } from '../terminal/read-secret.js';
import type { BrowserFlags } from './browser-visit.js';
import { connectInBrowser } from './connect-in-browser.js';
import { printConnected } from './connected.js';
import { readDocument, readNamedText } from './document.js';

interface ConnectFlags extends BrowserFlags {
  readonly personal?: boolean;
  readonly name?: string;
  readonly withToken?: boolean;
  readonly bundleName?: string;
  readonly scopes?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
}

type ConnectBody = Schemas['ConnectConnector'];

export function registerCatalogCommands(program: Command): void {
  const catalog = program.command('catalog').description('Known connectors: what they are, and connecting them.');
  catalog
    .command('list', { isDefault: true })
    .description('List the connectors that the organization sees.')
    .action((_flags: unknown, command: Command) => list(contextOf(command)));
  catalog
    .command('show')
    .description('Show a connector.')
    .argument('<slug>')
    .action((slug: string, _flags: unknown, command: Command) => show(slug, contextOf(command)));
  catalog
    .command('add')
    .description(
      'Add a connector of the organization from a YAML or JSON document (slug, name, url, auth_mode, auth_hints …).',
    )
    .argument('<file>', 'the document, - for standard input')
    .action((file: string, _flags: unknown, command: Command) => add(file, contextOf(command)));
  catalog
    .command('connect')
    .description(
      'Connect a connector: by key, by OAuth in the browser, without a credential, or as a bundle of the sandbox.',
    )
    .argument('<slug>')
    .option('--personal', 'yours alone, instead of the organization’s')
    .option('--name <name>', 'label of the connection; the connector’s name when left out')
    .option('--with-token', 'read the key from standard input, instead of asking for it')
    .option('--bundle-name <name>', 'of a connector that runs inside the sandbox; its slug when left out')
    .option('--scopes <scopes>', 'OAuth scopes besides the connector’s own, separated by blanks or commas')
    .option('--client-id <id>', 'OAuth client that was registered by hand')
    .option('--client-secret-file <file>', 'file with its secret, - for standard input')
    .option('--no-browser', 'with OAuth: print the address and open nothing')
    .action((slug: string, flags: ConnectFlags, command: Command) => connect(slug, flags, contextOf(command)));
}

async function list({ client, format }: CommandContext): Promise<void> {
  const { connectors } = await client.call((api) => api.GET('/v1/catalog'));
  const columns = [
    { title: 'CONNECTOR', value: (entry: CatalogEntry) => entry.slug, width: 64 },
    { title: 'TIER', value: (entry: CatalogEntry) => entry.tier },
    { title: 'SIGN-IN', value: (entry: CatalogEntry) => (entry.connectable ? entry.auth_mode : 'reference only') },
    { title: 'CONNECTED', value: connectedAs },
    { title: 'DESCRIPTION', value: (entry: CatalogEntry) => entry.description ?? entry.name, width: 70 },
  ];
  printRows(format, connectors, columns, 'No connectors.');
}

function connectedAs({ connection, bundle, sandbox_launch }: CatalogEntry): string {
  if (sandbox_launch !== null) return bundle === null ? '' : `bundle @${bundle.version}`;
  return connection?.status ?? '';
}

async function show(slug: string, { client, format }: CommandContext): Promise<void> {
  const entry = await readEntry(slug, { client });
  const hints = entry.tool_hints.map(
    ({ action, pattern, note }) => `${action} ${pattern}${note === null ? '' : ` (${note})`}`,
  );
  printRecord(format, entry, [
    ['Connector', entry.slug],
    ['Name', entry.name],
    ['Description', entry.description ?? ''],
    ['Tier', entry.tier],
    [
      'At',
      entry.url ??
        (entry.sandbox_launch === null ? '' : [entry.sandbox_launch.command, ...entry.sandbox_launch.args].join(' ')),
    ],
    ['Sign-in', entry.connectable ? entry.auth_mode : 'listed for reference only'],
    ['Key', keyHint(entry)],
    ['Scopes', entry.scopes.join(' ')],
    ['Categories', entry.categories.join(', ')],
    ['Suggested', hints.join('\n')],
    ['Connection', entry.connection === null ? '' : `${entry.connection.id} (${entry.connection.status})`],
    ['Bundle', entry.bundle === null ? '' : `${entry.bundle.name}@${entry.bundle.version}`],
  ]);
}

function readEntry(slug: string, { client }: Pick<CommandContext, 'client'>): Promise<CatalogEntry> {
  return client.call((api) => api.GET('/v1/catalog/{slug}', { params: { path: { slug } } }));
}

function keyHint({ auth_hints: hints }: CatalogEntry): string {
  return [hints.placeholder, hints.composite, hints.key_url].filter((text) => text !== undefined).join(' · ');
}

async function add(file: string, { client, format }: CommandContext): Promise<void> {
  const body = readDocument(file) as Schemas['CreateConnector'];
  const entry = await client.call((api) => api.POST('/v1/catalog', { body }));
  if (format === 'table')
    write(`${inline(entry.slug)} is in the catalog; connect it with: sandgate catalog connect ${inline(entry.slug)}`);
  else printDocument(format, entry);
}

async function connect(slug: string, flags: ConnectFlags, { client, format }: CommandContext): Promise<void> {
  const entry = await readEntry(slug, { client });
  const body = await bodyOf(entry, flags);
  const params = { path: { slug } };
  const answer = await client.call((api) => api.POST('/v1/catalog/{slug}/connect', { params, body }));
  const { connection, snapshot, go_url: goUrl, bundle } = answer;
  if (connection !== undefined && goUrl !== undefined) {
    return printConnected(await connectInBrowser(client, connection, goUrl, flags), format);
  }
  if (connection !== undefined && snapshot !== undefined) return printConnected({ connection, snapshot }, format);
  if (format !== 'table') return printDocument(format, answer);
  if (bundle === undefined) throw new CliError('the server answered neither a connection nor a bundle');
  write(
    `${inline(bundle.name)}@${bundle.version} is published; pin it with capability_bundles: [${inline(bundle.name)}]`,
  );
}

async function bodyOf(entry: CatalogEntry, flags: ConnectFlags): Promise<ConnectBody> {
  if (flags.withToken === true && entry.auth_mode !== 'api_key') {
    throw new CliError(`${inline(entry.slug)} takes no key: its sign-in is ${entry.auth_mode}`, EXIT.usage);
  }
  const { personal, name, bundleName, scopes, clientId, clientSecretFile } = flags;
  return {
    owner: personal === true ? 'personal' : 'organization',
    ...(name === undefined ? {} : { display_name: name }),
    ...(bundleName === undefined ? {} : { bundle_name: bundleName }),
    ...(scopes === undefined ? {} : { scopes: wordsOf(scopes) }),
    ...(clientId === undefined ? {} : { client_id: clientId }),
    ...(clientSecretFile === undefined ? {} : { client_secret: readNamedText(clientSecretFile).trim() }),
    ...(entry.auth_mode === 'api_key' ? { token: await readKey(entry, flags) } : {}),
  };
}

/** On a terminal, first says where to create a key. */
function readKey(entry: CatalogEntry, { withToken }: ConnectFlags): Promise<string> {
  const hint = keyHint(entry);
  if (process.stdin.isTTY === true && hint !== '') process.stderr.write(`${inline(entry.name)}: ${inline(hint)}\n`);
  return readSecret({ what: 'the key', option: '--with-token', fromInput: withToken === true });
}
