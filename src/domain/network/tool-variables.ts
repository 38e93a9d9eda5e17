import { isJsonObject } from '../json.js';
import type { FrozenNetwork } from './grant.js';
import { describeTarget } from './target.js';

/** What a runner is told of its run's network, and its agent with it. */
export interface ToldNetwork {
  mode: 'offline' | 'approved';
  /** In their short form. */
  targets: string[];
  /** Variables of the presets, for the tools that the agent runs. */
  variables: Record<string, string>;
}

const OFFLINE: ToldNetwork = { mode: 'offline', targets: [], variables: {} };

/**
 * Files of the certificates that tools trust, inside; programs that bring a list of their own are pointed to the first that is there:
 * what a deployment adds to those of its host, or what the system of the sandbox has.
 */
export const CERTIFICATE_FILES = ['/opt/sandgate/certificates.pem', '/etc/ssl/certs/ca-certificates.crt'] as const;

const PROXY_NAMES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'https_proxy', 'http_proxy', 'all_proxy'];
const NO_PROXY_NAMES = ['NO_PROXY', 'no_proxy'];
const LOOPBACK = 'localhost,127.0.0.1,::1';
const CERTIFICATE_NAMES = [
  ...['SSL_CERT_FILE', 'CURL_CA_BUNDLE', 'GIT_SSL_CAINFO', 'NODE_EXTRA_CA_CERTS'],
  ...['REQUESTS_CA_BUNDLE', 'PIP_CERT', 'CARGO_HTTP_CAINFO', 'npm_config_cafile'],
];
/** Tools neither look for versions of themselves nor send reports, which would only be refused. */
const QUIET = {
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  PIP_NO_INPUT: '1',
};
/**
 * fetch and http of Node, and cargo's fetches from git, take the proxy only when they are told to. Every start of Node takes longer
 * for it, so that tools of offline runs are not told.
 */
const TAKE_PROXY = { NODE_USE_ENV_PROXY: '1', CARGO_NET_GIT_FETCH_WITH_CLI: 'true' };
/** Without a network every repetition is lost time. */
const FAIL_AT_ONCE = {
  npm_config_fetch_retries: '0',
  npm_config_prefer_offline: 'true',
  PIP_RETRIES: '0',
  PIP_DEFAULT_TIMEOUT: '5',
  CARGO_NET_RETRY: '0',
  CARGO_NET_OFFLINE: 'true',
  GOPROXY: 'off',
};

/** Names in upper case that decide by which way tools reach the network and whom they trust there. */
const WAY_NAMES: ReadonlySet<string> = new Set(
  [
    ...[...PROXY_NAMES, ...NO_PROXY_NAMES, ...CERTIFICATE_NAMES, ...Object.keys(TAKE_PROXY)],
    ...['PIP_PROXY', 'npm_config_proxy', 'npm_config_ca', 'npm_config_strict_ssl', 'SSL_CERT_DIR', 'PIP_TRUSTED_HOST'],
  ].map((name) => name.toUpperCase()),
);
/** What tools have of their own beside these: `CARGO_HTTP_PROXY`, `npm_config_https_proxy`, `YARN_HTTP_PROXY`, `npm_config_noproxy`. */
const PROXY_OF_A_TOOL = /(?:^|_)(?:HTTPS?|FTP|SOCKS5?|ALL|NO)_?PROXY$/;

/** Whether a variable decides by which way tools reach the network, or whom they trust there: no revision sets one. */
export function leadsOut(name: string): boolean {
  const upper = name.toUpperCase();
  return WAY_NAMES.has(upper) || PROXY_OF_A_TOOL.test(upper);
}

export function toldNetwork(network: FrozenNetwork): ToldNetwork {
  if (network.mode === 'offline') return OFFLINE;
  return { mode: 'approved', targets: network.targets.map(describeTarget), variables: network.variables };
}

/** Reads what `JSON.stringify` made of {@link toldNetwork}; undefined is offline, null is none of ours. */
export function parseToldNetwork(text: string | undefined): ToldNetwork | null {
  if (text === undefined || text === '') return OFFLINE;
  const value = parseJson(text);
  if (!isJsonObject(value)) return null;
  const { mode, targets, variables } = value;
  if ((mode !== 'offline' && mode !== 'approved') || !Array.isArray(targets) || !isJsonObject(variables)) return null;
  const isText = (one: unknown): one is string => typeof one === 'string';
  if (!targets.every(isText) || !Object.values(variables).every(isText)) return null;
  return { mode, targets, variables: variables as Record<string, string> };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/**
 * The variables by which common tools find the way out, and fail at once where there is none.
 *
 * @param proxyUrl the proxy of the run, inside its sandbox
 * @param certificates a file of certificates to trust; null when there is none
 */
export function networkVariables(
  network: ToldNetwork,
  proxyUrl: string,
  certificates: string | null,
): Record<string, string> {
  const each = (names: readonly string[], value: string): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, value]));
  return {
    ...each(PROXY_NAMES, proxyUrl),
    ...each(NO_PROXY_NAMES, LOOPBACK),
    ...(certificates === null ? {} : each(CERTIFICATE_NAMES, certificates)),
    ...QUIET,
    ...(network.mode === 'offline' ? FAIL_AT_ONCE : { ...TAKE_PROXY, ...network.variables }),
  };
}

/** What the Java of Maven is told, which reads no proxy variable. */
export function javaProxyOptions(proxyUrl: string): string {
  const { hostname, port } = new URL(proxyUrl);
  return ['http', 'https']
    .flatMap((scheme) => [`-D${scheme}.proxyHost=${hostname}`, `-D${scheme}.proxyPort=${port}`])
    .join(' ');
}

const MAX_NAMED = 10;

/** The targets as a sentence holds them: at most ten by name. */
export function listTargets(targets: readonly string[]): string {
  const named = targets.slice(0, MAX_NAMED).join(', ');
  return targets.length > MAX_NAMED ? `${named}, and ${targets.length - MAX_NAMED} more` : named;
}

/** What an agent is told of the network. */
export function networkSentence(network: ToldNetwork): string {
  if (network.mode === 'offline') return 'There is no network.';
  return (
    `Outbound connections (https and http) go only to ${listTargets(network.targets)}, through the proxy that HTTPS_PROXY ` +
    'names; nothing else is reachable, and no name is resolved in the sandbox.'
  );
}
