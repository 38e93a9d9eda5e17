import type { ProtocolVersion } from '../../domain/mcp/protocol-versions.js';
import type { SnapshotTool } from '../../domain/mcp/snapshot-tool.js';
import type { McpOutcome } from './mcp-outcome.js';

/** Of a frozen tool what is needed to recognize it; a RunSpec from a photograph carries `definition_digest`. */
export type FrozenDefinition = Omit<SnapshotTool, 'definition_digest'> &
  Partial<Pick<SnapshotTool, 'definition_digest'>>;

/** What the upstream issued in one handshake, for the table of upstream sessions. */
export interface Handshake {
  upstreamSessionId: string | null;
  protocolVersion: ProtocolVersion;
}

export interface McpSessionOptions {
  /** The exact endpoint. */
  url: string;
  /** The credential's headers, asked for once per call before anything is sent; what it throws is thrown on. */
  headers: () => Promise<Record<string, string>>;
  /** As the run froze them. */
  frozen: { protocolVersion: string; tools: readonly FrozenDefinition[] };
  /** `/v1/connections/{id}/tools/refresh` of this connection, for the texts of a drift. */
  refreshPath: string;
  /** Called after each accepted handshake and before the call is sent; its failure fails the call before it is sent. */
  onHandshake?: (handshake: Handshake) => Promise<void>;
  /** Milliseconds for one request; 30 s unless given. */
  requestTimeoutMs?: number;
  /** How long a look at the offered definitions is good for; 60 s unless given. */
  verifiedForMs?: number;
}

/**
 * One client session of one run and binding (chapter 40 §6), never shared. Calls are serialized; the first one performs
 * `initialize`.
 */
export interface McpSession {
  /**
   * Calls one tool by the name that the server knows it by.
   * @param argumentsText JSON text of the arguments, an object or `null`; its numbers go upstream as they are written here
   * @throws what `headers` throws; everything about the upstream is an outcome
   */
  callTool(name: string, argumentsText: string, signal: AbortSignal): Promise<McpOutcome>;
}
