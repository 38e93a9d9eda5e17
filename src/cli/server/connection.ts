import { defaultDataDir } from '../../embedded/configuration.js';
import { locate } from '../../embedded/state-folder.js';
import { readLiveInstance } from '../../embedded/state-lock.js';
import { didYouMean } from '../../domain/nearest-name.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { configFilePath, readConfigFile, readTokenFile } from './config-file.js';
import { CredentialsFile, type Credentials, type StoredContext } from './credentials-file.js';

/** The server's address and token. */
export interface ServerConnection {
  readonly url: string;
  readonly token: string;
  readonly temporalWebUrl?: string | undefined;
  /** The login that the token is of, if it is of one. */
  readonly context?: string | undefined;
  /** In words, for people. */
  readonly source: string;
}

export interface ConnectionFlags {
  readonly server?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly context?: string | undefined;
}

/** Stands for the installation on this machine where the name of a context is asked for. */
export const LOCAL = 'local';

interface Pair {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
}

interface Environment extends Pair {
  /** The only server that the token is for; any when left out. */
  readonly boundTo?: string | undefined;
}

interface LocalInstance extends Pair {
  readonly url: string;
  readonly temporalWebUrl?: string | undefined;
}

/** Everything that may say where the server is. */
interface Sources {
  readonly flags: ConnectionFlags;
  readonly environment: Environment;
  readonly logins: Credentials;
  readonly file: Pair;
  readonly local: LocalInstance | undefined;
}

interface ChosenServer {
  readonly url: string;
  readonly context?: string | undefined;
  /** Meant as the installation on this machine, not as a server at its address that somebody signed in to. */
  readonly isLocal?: boolean;
}

/**
 * Server and token from options, then the environment, then the context in use, then the configuration file, then the installation
 * that runs on this machine. A token is never taken from a command line, which every user of the machine can read, and goes to the
 * server that it was given for alone (docs/cli.md).
 */
export function resolveConnection(flags: ConnectionFlags, env: NodeJS.ProcessEnv): ServerConnection {
  const sources = sourcesOf(flags, env);
  const server = chooseServer(sources);
  if (server === undefined) throw noServer(env);
  const { local } = sources;
  const isLocal = local !== undefined && sameOrigin(server.url, local.url);
  const found = chooseToken(sources, server);
  if (found === undefined) {
    throw new CliError(
      `no token for ${server.url}: sign in with sandgate login --url ${server.url}, set SANDGATE_TOKEN, or name a file with --token-file`,
      EXIT.unauthorized,
    );
  }
  return {
    url: checkUrl(server.url),
    token: found.token,
    context: found.context,
    temporalWebUrl: isLocal ? local.temporalWebUrl : undefined,
    source: found.context === undefined ? (isLocal ? 'local installation' : 'configured') : `context ${found.context}`,
  };
}

/** The server that a login is for, by the same order, and the context that it belongs to so far. */
export function resolveServer(flags: ConnectionFlags, env: NodeJS.ProcessEnv): ChosenServer {
  const sources = sourcesOf(flags, env);
  const isNew = flags.context !== undefined && sources.logins.contexts[flags.context] === undefined;
  const server = chooseServer(isNew ? { ...sources, flags: { ...flags, context: undefined } } : sources);
  if (server === undefined) throw noServer(env);
  const url = checkUrl(server.url);
  return { url, context: flags.context ?? server.context ?? loginOf(sources.logins, url) };
}

export function dataDirOf(flags: ConnectionFlags, env: NodeJS.ProcessEnv): string {
  return flags.dataDir ?? (env['SERVICE_DATA_DIR'] || defaultDataDir());
}

/** The address of the installation that runs on this machine. */
export function localUrl(flags: ConnectionFlags, env: NodeJS.ProcessEnv): string | undefined {
  return localInstance(flags, env)?.url;
}

export function sameOrigin(left: string, right: string): boolean {
  return URL.canParse(left) && URL.canParse(right) && new URL(left).origin === new URL(right).origin;
}

function sourcesOf(flags: ConnectionFlags, env: NodeJS.ProcessEnv): Sources {
  const local = localInstance(flags, env);
  return {
    flags,
    environment: environmentOf(env, local),
    logins: new CredentialsFile(env).read(),
    file: readConfigFile(configFilePath(env)),
    local,
  };
}

/**
 * `SANDGATE_URL` and `SANDGATE_TOKEN`, else `SERVICE_API_URL` and `SERVICE_ADMIN_TOKEN`. The latter without an address is a setting of
 * the server here, so it is the token of the installation on this machine and of no other server.
 */
function environmentOf(env: NodeJS.ProcessEnv, local: LocalInstance | undefined): Environment {
  const own = { url: env['SANDGATE_URL'] || undefined, token: env['SANDGATE_TOKEN'] || undefined };
  if (own.url !== undefined || own.token !== undefined) return { ...own, boundTo: own.url };
  const service = { url: env['SERVICE_API_URL'] || undefined, token: env['SERVICE_ADMIN_TOKEN'] || undefined };
  const boundTo = service.url ?? local?.url;
  return boundTo === undefined ? {} : { ...service, boundTo };
}

function chooseServer({ flags, environment, logins, file, local }: Sources): ChosenServer | undefined {
  const named = flags.context === undefined ? undefined : namedContext(flags.context, logins, local);
  if (flags.server !== undefined) {
    if (named !== undefined && !sameOrigin(named.url, flags.server))
      throw new CliError(`context ${flags.context} is of ${named.url}, not of ${flags.server}`, EXIT.usage);
    return { url: flags.server, context: named?.context };
  }
  if (named !== undefined) return named;
  if (environment.url !== undefined) return { url: environment.url };
  if (logins.current !== null) {
    if (environment.token !== undefined && environment.boundTo === undefined && flags.tokenFile === undefined)
      throw tokenWithoutServer(logins.current);
    return namedContext(logins.current, logins, local);
  }
  if (file.url !== undefined) return { url: file.url };
  return local?.url === undefined ? undefined : { url: local.url, isLocal: true };
}

function chooseToken(
  { flags, environment, logins, file, local }: Sources,
  { url, context, isLocal = false }: ChosenServer,
): { token: string; context?: string } | undefined {
  if (flags.tokenFile !== undefined) return { token: readTokenFile(flags.tokenFile) };
  if (context !== undefined) return tokenOf(context, logins);
  const isHere = (origin: string | undefined): boolean => origin === undefined || sameOrigin(origin, url);
  if (environment.token !== undefined && isHere(environment.boundTo)) return { token: environment.token };
  const ofFile = isHere(file.url) ? file.token : undefined;
  const token = ofFile ?? (local !== undefined && sameOrigin(local.url, url) ? local.token : undefined);
  if (isLocal && token !== undefined) return { token };
  const login = loginOf(logins, url);
  if (login !== undefined) return tokenOf(login, logins);
  return token === undefined ? undefined : { token };
}

/** The login at this server: that in use, else the only one. */
function loginOf({ current, contexts }: Credentials, url: string): string | undefined {
  const there = Object.keys(contexts).filter((name) => sameOrigin(contexts[name]?.url ?? '', url));
  if (there.length < 2) return there[0];
  if (current !== null && there.includes(current)) return current;
  throw new CliError(`several contexts are of ${url}: name one of ${there.join(', ')} with --context`, EXIT.usage);
}

function namedContext(name: string, { contexts }: Credentials, local: LocalInstance | undefined): ChosenServer {
  const stored = contexts[name];
  if (stored !== undefined) return { url: stored.url, context: name };
  if (name !== LOCAL) throw unknownContext(name, contexts);
  if (local === undefined)
    throw new CliError('no installation runs on this machine; start one with sandgate start', EXIT.unreachable);
  return { url: local.url, isLocal: true };
}

/** Whose token it is cannot be told, and a token is not sent to a server that it may not be for. */
function tokenWithoutServer(context: string): CliError {
  return new CliError(
    `SANDGATE_TOKEN is set without SANDGATE_URL while context ${context} is in use: set both, unset it, or name the server with --context or --server`,
    EXIT.usage,
  );
}

/** @throws CliError `notFound` naming the nearest known one */
export function unknownContext(name: string, contexts: Credentials['contexts']): CliError {
  const known = Object.keys(contexts);
  return new CliError(`there is no context ${name}${didYouMean(name, [...known, LOCAL])}`, EXIT.notFound);
}

function tokenOf(context: string, { contexts }: Credentials): { token: string; context: string } {
  const { token, expires_at: end } = contexts[context] as StoredContext;
  if (Date.parse(end) > Date.now()) return { token, context };
  throw new CliError(
    `the login of context ${context} ended at ${end}; sign in again: sandgate login --context ${context}`,
    EXIT.unauthorized,
  );
}

function localInstance(flags: ConnectionFlags, env: NodeJS.ProcessEnv): LocalInstance | undefined {
  const folder = locate(dataDirOf(flags, env));
  const instance = readLiveInstance(folder.lock);
  if (instance?.url === undefined) return undefined;
  const token = instance.adminTokenFile === undefined ? undefined : readTokenFile(instance.adminTokenFile);
  return { url: instance.url, token, temporalWebUrl: instance.temporalWebUrl };
}

function noServer(env: NodeJS.ProcessEnv): CliError {
  return new CliError(
    `no server is known: start one with \`sandgate start\`, sign in to one with \`sandgate login --url\`, or name one with --server, SANDGATE_URL or ${configFilePath(env)}`,
    EXIT.unreachable,
  );
}

function checkUrl(url: string): string {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new CliError(`${url} is not an http or https address`, EXIT.usage);
  return url.replace(/\/+$/, '');
}
