import type { Command } from 'commander';
import type { Schemas } from '../../client/client.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { contextOf } from './program-context.js';
import type { CommandContext } from './program-context.js';
import { revokeConnection, startAuthorization } from '../server/connections.js';
import type { SandgateClient } from '../server/sandgate-client.js';
import { wordsOf } from '../terminal/arguments.js';
import { inline } from '../terminal/escape.js';
import { printDocument, write } from '../terminal/output.js';
import { readSecret } from '../terminal/read-secret.js';
import type { BrowserFlags } from './browser-visit.js';
import { connectInBrowser } from './connect-in-browser.js';
import { printConnected } from './connected.js';
import { readNamedText } from './document.js';

interface AddFlags extends BrowserFlags {
  readonly provider: string;
  readonly auth?: string;
  readonly name?: string;
  readonly personal?: boolean;
  readonly withToken?: boolean;
  readonly header?: string;
  readonly scheme?: string;
  readonly scopes?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly appId?: string;
  readonly installationId?: string;
  readonly privateKeyFile?: string;
  readonly webhookSecretFile?: string;
}

type Body = Schemas['CreateConnection'];

/** How a connection is proved; each way has options of its own. */
type Way = 'static' | 'oauth' | 'codehost' | 'codehost_app';

const SAID: Readonly<Record<Way, string>> = {
  static: '--auth static',
  oauth: '--auth oauth',
  codehost: '--provider codehost',
  codehost_app: '--provider codehost_app',
};

const BELONGS: readonly (readonly [flag: keyof AddFlags, option: string, ways: readonly Way[]])[] = [
  ['withToken', '--with-token', ['static', 'codehost']],
  ['header', '--header', ['static']],
  ['scheme', '--scheme', ['static']],
  ['scopes', '--scopes', ['oauth']],
  ['clientId', '--client-id', ['oauth']],
  ['clientSecretFile', '--client-secret-file', ['oauth']],
  ['appId', '--app-id', ['codehost_app']],
  ['installationId', '--installation-id', ['codehost_app']],
  ['privateKeyFile', '--private-key-file', ['codehost_app']],
  ['webhookSecretFile', '--webhook-secret-file', ['codehost', 'codehost_app']],
];

export function registerAddCommand(connections: Command): void {
  connections
    .command('add')
    .description(
      'Connect a remote MCP server by token or OAuth, or a code host. Secrets are read, never given as options.',
    )
    .argument('[url]', 'endpoint of the MCP server')
    .option('--provider <provider>', 'mcp_http, codehost or codehost_app', 'mcp_http')
    .option('--auth <kind>', 'static or oauth (mcp_http); static when left out')
    .option('--name <name>', 'its label; host or account when left out')
    .option('--personal', 'yours alone, instead of the organization’s')
    .option('--with-token', 'read the token from standard input, instead of asking for it')
    .option('--header <name>', 'header that carries the token, instead of Authorization')
    .option('--scheme <scheme>', 'Bearer, Basic (token user:password) or "" for the bare token')
    .option('--scopes <scopes>', 'OAuth scopes, separated by blanks or commas')
    .option('--client-id <id>', 'OAuth client that was registered by hand')
    .option('--client-secret-file <file>', 'file with its secret, - for standard input')
    .option('--app-id <id>', 'of codehost_app')
    .option('--installation-id <id>', 'of codehost_app')
    .option('--private-key-file <file>', 'of codehost_app: PEM of the app, - for standard input')
    .option('--webhook-secret-file <file>', 'of a code host: what it signs webhooks with, - for standard input')
    .option('--no-browser', 'with OAuth: print the address and open nothing')
    .action((url: string | undefined, flags: AddFlags, command: Command) => add(url, flags, contextOf(command)));
}

async function add(url: string | undefined, flags: AddFlags, { client, format }: CommandContext): Promise<void> {
  const body = await bodyOf(url, flags);
  const created = await client.call((api) => api.POST('/v1/connections', { body }));
  if (created.next !== undefined) {
    const goUrl = await beginAuthorization(client, created.id);
    return printConnected(await connectInBrowser(client, created, goUrl, flags), format);
  }
  const { snapshot, ingress_path: path, ...connection } = created;
  if (snapshot !== undefined) return printConnected({ connection, snapshot }, format);
  if (format !== 'table') return printDocument(format, created);
  write(`${inline(connection.display_name)} ${connection.id} is ${connection.status}`);
  if (path !== undefined) write(`Enter as webhook address at the code host: ${inline(path)} below the public address`);
}

/** A connection whose authorization cannot begin is useless: it is revoked, and the next attempt creates its own. */
async function beginAuthorization(client: SandgateClient, id: string): Promise<string> {
  try {
    return await startAuthorization(client, id);
  } catch (error) {
    await revokeConnection(client, id);
    throw error;
  }
}

async function bodyOf(url: string | undefined, flags: AddFlags): Promise<Body> {
  const way = wayOf(flags);
  const stray = BELONGS.find(([flag, , ways]) => flags[flag] !== undefined && !ways.includes(way));
  if (stray !== undefined) {
    const [, option, ways] = stray;
    throw new CliError(`${option} belongs to ${ways.map((one) => SAID[one]).join(' or ')}`, EXIT.usage);
  }
  const common = {
    provider: flags.provider,
    owner: flags.personal === true ? 'personal' : 'organization',
    ...(flags.name === undefined ? {} : { display_name: flags.name }),
  } as Body;
  if (way === 'codehost') return { ...common, token: await readToken(flags), ...webhookMember(flags) };
  if (way === 'codehost_app') return { ...common, ...appMembers(flags) };
  if (url === undefined) throw new CliError('name the endpoint of the MCP server', EXIT.usage);
  return { ...common, base_url: url, ...(await remoteMembers(way, flags)) };
}

function wayOf({ provider, auth = 'static' }: AddFlags): Way {
  if (provider === 'codehost' || provider === 'codehost_app') return provider;
  if (provider !== 'mcp_http') throw new CliError('--provider takes mcp_http, codehost or codehost_app', EXIT.usage);
  if (auth === 'static' || auth === 'oauth') return auth;
  throw new CliError(
    '--auth takes static or oauth; a server that asks for no credential is connected through an entry of the catalog with auth_mode: none',
    EXIT.usage,
  );
}

async function remoteMembers(way: 'static' | 'oauth', flags: AddFlags): Promise<Partial<Body>> {
  if (way === 'static') {
    return {
      auth_kind: way,
      token: await readToken(flags),
      ...(flags.header === undefined ? {} : { header_name: flags.header }),
      ...(flags.scheme === undefined ? {} : { scheme: flags.scheme as 'Bearer' }),
    };
  }
  return {
    auth_kind: way,
    ...(flags.scopes === undefined ? {} : { scopes: wordsOf(flags.scopes) }),
    ...(flags.clientId === undefined ? {} : { client_id: flags.clientId }),
    ...(flags.clientSecretFile === undefined ? {} : { client_secret: readNamedText(flags.clientSecretFile).trim() }),
  };
}

function readToken({ withToken }: AddFlags): Promise<string> {
  return readSecret({ what: 'the token', option: '--with-token', fromInput: withToken === true });
}

/** A code host can send events to a token connection as well. */
function webhookMember({ webhookSecretFile: file }: AddFlags): Partial<Body> {
  return file === undefined ? {} : { webhook_secret: readNamedText(file).trim() };
}

function appMembers({ appId, installationId, privateKeyFile, webhookSecretFile }: AddFlags): Partial<Body> {
  if (
    appId === undefined ||
    installationId === undefined ||
    privateKeyFile === undefined ||
    webhookSecretFile === undefined
  ) {
    throw new CliError(
      'codehost_app needs --app-id, --installation-id, --private-key-file and --webhook-secret-file',
      EXIT.usage,
    );
  }
  return {
    app_id: appId,
    installation_id: installationId,
    private_key: readNamedText(privateKeyFile),
    webhook_secret: readNamedText(webhookSecretFile).trim(),
  };
}
