import { parseBundle } from '../capabilities/parse-bundle.js';
import { readHeaderName, readScheme } from '../connections/static-credential.js';
import { SandgateError } from '../errors.js';
import { isJsonObject, type JsonObject } from '../json.js';
import {
  CONNECTOR_AUTH_MODES,
  CONNECTOR_TRANSPORTS,
  type AuthHints,
  type ConnectorDefinition,
  type SandboxLaunch,
  type ToolHint,
} from './connector.js';
import { list, oneOf, optionalObject, optionalText, refusal, requiredText, textList } from './connector-members.js';

export const MAX_CONNECTOR_NAME = 120;
const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/;
export const HOST_PATTERN = '^(\\*\\.)?[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?(:[0-9]{1,5})?$';
const HOST = new RegExp(HOST_PATTERN);
/** RFC 6749 §3.3 */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const HINT_PATTERN = /^[A-Za-z0-9_.*-]+$/;
const MAX_URL = 2048;

/**
 * Reads a connector that somebody describes, with every default filled in; unknown members are left out, tier and provenance
 * among them (docs/design/connections.md). Whether its address may be dialled is for the caller to ask.
 *
 * @throws SandgateError `invalid_request` naming the member and the reason
 */
export function parseConnector(body: JsonObject): ConnectorDefinition {
  const slug = parseSlug(body['slug']);
  const transport = oneOf(body['transport'], 'transport', CONNECTOR_TRANSPORTS);
  const url = body['url'] === undefined || body['url'] === null ? null : parseConnectorUrl(body['url'], 'url');
  const definition: ConnectorDefinition = {
    slug,
    name: requiredText(body['name'], 'name', { max: MAX_CONNECTOR_NAME }),
    icon: parseIcon(body['icon']),
    description: optionalText(body['description'], 'description', { max: 2000 }),
    categories: textList(body['categories'], 'categories', 16, { max: 64 }),
    scopes: textList(body['scopes'], 'scopes', 64, {
      max: 256,
      pattern: SCOPE,
      shape: 'an OAuth scope without blanks',
    }),
    egress: textList(body['egress'], 'egress', 32, { max: 255, pattern: HOST, shape: 'a host name' }),
    url,
    transport,
    auth_mode: oneOf(body['auth_mode'], 'auth_mode', CONNECTOR_AUTH_MODES),
    auth_hints: parseAuthHints(body['auth_hints']),
    tool_hints: list(body['tool_hints'], 'tool_hints', 64).map(parseToolHint),
    sandbox_launch: parseLaunch(body['sandbox_launch'], slug),
  };
  refuseMixture(definition);
  if (definition.egress.length === 0 && url !== null) definition.egress = [new URL(url).host];
  return definition;
}

function parseSlug(value: unknown): string {
  if (typeof value === 'string' && SLUG.test(value)) return value;
  throw refusal('slug', 'must be 1 to 64 of a-z 0-9 -, beginning with a letter or a digit');
}

/** An address without user, password and fragment, as it was written. @throws SandgateError `invalid_request` */
export function parseConnectorUrl(value: unknown, place: string): string {
  const text = requiredText(value, place, { max: MAX_URL });
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw refusal(place, 'must be an http or https address');
  }
  if (url.username !== '' || url.password !== '') {
    throw refusal(place, 'must not hold a user or password: the catalog keeps no credential');
  }
  if (url.hash !== '') throw refusal(place, 'must not hold a fragment');
  return text;
}

/** What fits together: a program has tools and needs no key, a server has an address. */
function refuseMixture({ transport, auth_mode, url, sandbox_launch }: ConnectorDefinition): void {
  if (transport !== 'stdio') {
    if (sandbox_launch !== null) throw refusal('sandbox_launch', 'belongs to transport stdio alone');
    if (transport === 'streamable_http' && url === null) throw refusal('url', 'is required for streamable_http');
    return;
  }
  if (sandbox_launch === null) {
    throw refusal('sandbox_launch', 'is required for transport stdio, with command and tools');
  }
  if (auth_mode !== 'none') {
    throw refusal('auth_mode', 'must be none for transport stdio: a program in the sandbox is given no credential');
  }
  if (url !== null) throw refusal('url', 'does not belong to transport stdio, which runs a program in the sandbox');
}

/** A symbol of a few characters, or the address of a picture. */
function parseIcon(value: unknown): string | null {
  const icon = optionalText(value, 'icon', { max: MAX_URL });
  if (icon === null || icon.length <= 16) return icon;
  if (URL.canParse(icon) && new URL(icon).protocol === 'https:') return icon;
  throw refusal('icon', 'must be a symbol of at most 16 characters or an https address');
}

/** Header and scheme follow the rules of a connection made with them. */
function parseAuthHints(value: unknown): AuthHints {
  const given = optionalObject(value, 'auth_hints') ?? {};
  const at = (member: keyof AuthHints): string => `auth_hints.${member}`;
  const ifGiven = <T>(member: keyof AuthHints, read: (value: unknown) => T): T | null =>
    given[member] === undefined || given[member] === null ? null : inPlace('auth_hints', () => read(given[member]));
  const texts: [keyof AuthHints, string | null][] = [
    ['header_name', ifGiven('header_name', readHeaderName)],
    ['scheme', ifGiven('scheme', readScheme)],
    ['composite', optionalText(given['composite'], at('composite'), { max: 120 })],
    ['key_url', parseKeyUrl(given['key_url'], at('key_url'))],
    ['placeholder', optionalText(given['placeholder'], at('placeholder'), { max: 120 })],
  ];
  return Object.fromEntries(texts.filter(([, text]) => text !== null));
}

/** A person follows it to make a key, so it must be https. */
function parseKeyUrl(value: unknown, place: string): string | null {
  if (value === undefined || value === null || value === '') return null;
  const url = parseConnectorUrl(value, place);
  if (!url.toLowerCase().startsWith('https:')) throw refusal(place, 'must be an https address');
  return url;
}

function parseToolHint(value: unknown, index: number): ToolHint {
  const place = `tool_hints[${index}]`;
  if (!isJsonObject(value)) throw refusal(place, 'must be an object');
  if (value['action'] !== 'allow' && value['action'] !== 'approve') {
    throw refusal(`${place}.action`, 'must be allow or approve');
  }
  return {
    pattern: requiredText(value['pattern'], `${place}.pattern`, {
      max: 200,
      pattern: HINT_PATTERN,
      shape: 'a tool name, in which * stands for any text',
    }),
    action: value['action'],
    note: optionalText(value['note'], `${place}.note`, { max: 500 }),
  };
}

/** Judged as the bundle that connecting publishes, so that a stored entry can be published. */
function parseLaunch(value: unknown, slug: string): SandboxLaunch | null {
  const given = optionalObject(value, 'sandbox_launch');
  if (given === null) return null;
  const { command, args, tools } = asServer(given, slug);
  return { command, args, tools };
}

function asServer(given: JsonObject, slug: string): SandboxLaunch {
  const servers = [{ ...given, class: 'sandbox', name: slug }];
  const [server] = inPlace('sandbox_launch', () => parseBundle({ name: slug, servers }).servers);
  if (server === undefined) throw refusal('sandbox_launch', 'must describe one program');
  return server;
}

/** Repeats another reader's refusal under the name of the member that holds the value. */
function inPlace<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SandgateError) throw refusal(place, error.message);
    throw error;
  }
}
