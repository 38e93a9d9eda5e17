import { isExactObject, type ExactObject } from '../../domain/digest/exact-json.js';
import {
  isSupportedVersion,
  OFFERED_PROTOCOL_VERSION,
  type ProtocolVersion,
} from '../../domain/mcp/protocol-versions.js';
import type { CallContext, McpConnection } from './connection.js';

/** How the broker presents itself; the version tells nothing about the build. */
const CLIENT_INFO = { name: 'sandgate', version: '1' };
/** With what every session begins. */
export const INITIALIZE_PARAMS = {
  protocolVersion: OFFERED_PROTOCOL_VERSION,
  capabilities: {},
  clientInfo: CLIENT_INFO,
};

/** What a server answered to `initialize`. */
export type Greeting =
  | { supported: true; protocolVersion: ProtocolVersion; hasTools: boolean }
  /** An unsupported version, as far as it can be shown. */
  | { supported: false; protocolVersion: string };

/** Sends `initialize` and nothing else: the caller decides whether the answer is acceptable. @throws ExchangeError */
export async function greet(connection: McpConnection, context: CallContext): Promise<Greeting> {
  const result = await connection.request('initialize', INITIALIZE_PARAMS, context);
  const protocolVersion = result['protocolVersion'];
  if (!isSupportedVersion(protocolVersion)) {
    return { supported: false, protocolVersion: shownVersion(protocolVersion) };
  }
  return { supported: true, protocolVersion, hasTools: hasTools(result) };
}

/** Completes the handshake of an accepted greeting; everything after it belongs to this session. */
export async function begin(
  connection: McpConnection,
  protocolVersion: ProtocolVersion,
  context: CallContext,
): Promise<void> {
  connection.begin(protocolVersion);
  await connection.notify('notifications/initialized', context);
}

function hasTools(result: ExactObject): boolean {
  const capabilities = result['capabilities'];
  return isExactObject(capabilities ?? null) && isExactObject((capabilities as ExactObject)['tools'] ?? null);
}

/** Upstream text is not repeated, except what looks like a version. */
function shownVersion(version: unknown): string {
  return typeof version === 'string' && /^[0-9A-Za-z.-]{1,32}$/.test(version) ? version : 'unreadable';
}
