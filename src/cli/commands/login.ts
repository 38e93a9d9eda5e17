import { hostname } from 'node:os';
import type { Command } from 'commander';
import { isLoopback } from '../server/loopback-address.js';
import { LOCAL, resolveServer, sameOrigin } from '../server/connection.js';
import { CredentialsFile, type StoredContext } from '../server/credentials-file.js';
import { DeviceLoginClient, type StartedLogin } from '../server/device-login.js';
import { SandgateClient } from '../server/sandgate-client.js';
import { inline } from '../terminal/escape.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { openBrowser } from '../terminal/open-browser.js';
import { printRecord } from '../terminal/output.js';
import { flagsOf, formatOf } from './program-context.js';
import { describeCaller } from './whoami.js';

const CONTEXT_NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;
const MAX_NAME_CHARS = 100;

interface LoginFlags {
  readonly url?: string;
  readonly name?: string;
  readonly org?: string;
  readonly browser: boolean;
}

export function registerLoginCommands(program: Command): void {
  program
    .command('login')
    .description('Sign in to a server from this terminal: prints an address and a code, and waits until you confirmed.')
    .option('--url <url>', 'address of the server; otherwise the one that commands would use')
    .option('--name <name>', 'what the page and the list of your tokens call this terminal')
    .option('--org <slug>', 'organization to sign in with, where you know it')
    .option('--no-browser', 'print the address and open nothing')
    .action((flags: LoginFlags, command: Command) => login(flags, command));
  program
    .command('logout')
    .description('End the token of the context in use at its server, then forget it here.')
    .option('--here', 'forget it here even when the server does not answer; the token lives on until it ends')
    .action((flags: { here?: boolean }, command: Command) => logout(flags, command));
}

async function login(flags: LoginFlags, command: Command): Promise<void> {
  const shared = flagsOf(command);
  const server = resolveServer({ ...shared, ...(flags.url === undefined ? {} : { server: flags.url }) }, process.env);
  refusePlainHttp(server.url);
  const credentials = new CredentialsFile(process.env);
  const name = contextName(server.context ?? new URL(server.url).host);
  const before = contextAt(credentials, name, server.url);
  const client = new DeviceLoginClient(server.url);
  const started = await client.start({
    client_name: (flags.name ?? `sandgate on ${hostname()}`).slice(0, MAX_NAME_CHARS),
    ...(flags.org === undefined ? {} : { org: flags.org }),
  });
  await show(started, flags.browser);
  const { access_token: token, expires_in: secs } = await client.wait(started);
  const made: StoredContext = {
    url: server.url,
    token,
    expires_at: new Date(Date.now() + secs * 1000).toISOString(),
  };
  await credentials.change(({ contexts }) => ({ current: name, contexts: { ...contexts, [name]: made } }));
  if (before !== undefined) await endFormer(client, before.token);
  const { document, members } = await describeCaller(
    new SandgateClient({ url: server.url, token, context: name, source: `context ${name}` }),
  );
  const until = ['Token ends', made.expires_at] as const;
  printRecord(formatOf(command), { ...document, expires_at: made.expires_at }, [...members, until]);
}

/** A browser is opened where somebody sits at this machine: at a terminal, with a display. */
async function show(started: StartedLogin, mayOpen: boolean): Promise<void> {
  const { verification_uri: uri, verification_uri_complete: complete, user_code: code, expires_in: secs } = started;
  const opened = mayOpen && process.stderr.isTTY === true && (await openBrowser(complete));
  const lead = opened
    ? 'A browser was opened. If it shows nothing, open'
    : `Open in a browser, here or elsewhere, within ${Math.round(secs / 60)} minutes:`;
  process.stderr.write(
    `${lead}\n\n  ${inline(uri)}\n\nand type the code  ${inline(code)}\n\nWaiting for you to confirm (Ctrl+C ends the wait)…\n`,
  );
}

async function logout({ here }: { here?: boolean }, command: Command): Promise<void> {
  const credentials = new CredentialsFile(process.env);
  const { current, contexts } = credentials.read();
  const name = flagsOf(command).context ?? current;
  if (name === null) throw new CliError('no context is in use; name one with --context', EXIT.notFound);
  const stored = contexts[name];
  if (stored === undefined) throw new CliError(`there is no context ${name}`, EXIT.notFound);
  const ended = await ending(new DeviceLoginClient(stored.url), stored.token, here === true);
  await credentials.change(({ current: inUse, contexts: all }) => {
    const { [name]: _gone, ...others } = all;
    return { current: inUse === name ? null : inUse, contexts: others };
  });
  printRecord(formatOf(command), { context: name, url: stored.url, revoked: ended }, [
    ['Context', `${name} is forgotten`],
    ['Server', stored.url],
    ['Token', ended ? 'revoked' : 'not revoked; it lives until it ends'],
  ]);
}

/** @returns false when the server did not answer and that is all right */
async function ending(client: DeviceLoginClient, token: string, here: boolean): Promise<boolean> {
  try {
    await client.revoke(token);
    return true;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (here) return false;
    throw new CliError(`${error.message}; with --here it is forgotten on this machine alone`, error.exitCode);
  }
}

/** The token that the new one replaces. It is of no use here any more, so a server that keeps it is worth a word and no failure. */
async function endFormer(client: DeviceLoginClient, token: string): Promise<void> {
  if (await ending(client, token, true)) return;
  process.stderr.write('The former token of this context could not be revoked; revoke it among your tokens.\n');
}

function contextAt(credentials: CredentialsFile, name: string, url: string): StoredContext | undefined {
  const stored = credentials.read().contexts[name];
  if (stored === undefined || sameOrigin(stored.url, url)) return stored;
  throw new CliError(`context ${name} is of ${stored.url}; give this one another name with --context`, EXIT.conflict);
}

function contextName(name: string): string {
  if (CONTEXT_NAME.test(name) && name !== LOCAL) return name;
  throw new CliError(`${inline(name)} cannot be the name of a context; give one with --context`, EXIT.usage);
}

/** The token would travel in clear, and no browser keeps a session there. */
function refusePlainHttp(url: string): void {
  if (new URL(url).protocol === 'https:' || isLoopback(url)) return;
  throw new CliError(`${url} is plain http, over which a token could be read; sign in over https`, EXIT.usage);
}
