import type { ProtocolVersion } from '../../domain/mcp/protocol-versions.js';
import type { SnapshotTool } from '../../domain/mcp/snapshot-tool.js';

/** What a server offers at one moment (chapter 40 §3). */
export interface Photograph {
  protocolVersion: ProtocolVersion;
  tools: SnapshotTool[];
  /** `sha256:` + 64 hex over names, descriptions and schemas in the order of the tools. */
  digest: string;
}

/**
 * Why there is no photograph: `credential` (401, 403), `unreachable` (nothing answered as it should), `server` (another HTTP
 * status or a JSON-RPC error), `guard` (the server answered something that is never recorded).
 */
export type PhotographFailure = 'credential' | 'unreachable' | 'server' | 'guard';

/** The message is the text of the 400; it holds no upstream words but tool names. */
export class PhotographError extends Error {
  override readonly name = 'PhotographError';

  constructor(
    readonly reason: PhotographFailure,
    message: string,
  ) {
    super(message);
  }
}

export interface PhotographRequest {
  /** The exact endpoint. */
  url: string;
  /** The credential's headers; none for a server that asks for none. */
  headers: Record<string, string>;
  signal?: AbortSignal;
  /** Milliseconds for one request; 30 s unless given. */
  requestTimeoutMs?: number;
}
