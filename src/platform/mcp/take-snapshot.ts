import type { ProtocolVersion } from '../../domain/mcp/protocol-versions.js';
import { readToolListing, type SnapshotTool, type ToolListing } from '../../domain/mcp/snapshot-tool.js';
import { SandgateError } from '../../domain/errors.js';
import { McpConnection, type CallContext, type ConnectionSettings } from './connection.js';
import { ExchangeError } from './exchange-error.js';
import { begin, greet } from './handshake.js';
import { MAX_LIST_PAGES } from './limits.js';
import { listTools } from './list-tools.js';

/** What a server offers at one moment (docs/design/connections.md). */
export interface ServerSnapshot {
  protocolVersion: ProtocolVersion;
  tools: SnapshotTool[];
  /** `sha256:` + 64 hex over names, descriptions and schemas in the order of the tools. */
  digest: string;
}

export interface SnapshotRequest extends ConnectionSettings {
  /** The credential's headers; none for a server that asks for none. */
  headers: Record<string, string>;
  signal?: AbortSignal;
}

/**
 * Why there is no snapshot: `credential` (401, 403), `unreachable` (nothing answered as it should), `server` (another HTTP
 * status or a JSON-RPC error), `guard` (the server answered something that is never recorded).
 */
export type SnapshotFailure = 'credential' | 'unreachable' | 'server' | 'guard';

/** The message is the text of the 400; of upstream text it contains only names of tools. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';

  constructor(
    readonly reason: SnapshotFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Asks a server for its tools in a session of its own that is thrown away, with a real `initialize`. All of it or nothing:
 * the beginning of an endless listing is never stored as the whole.
 * @throws SnapshotError
 */
export async function takeSnapshot(request: SnapshotRequest): Promise<ServerSnapshot> {
  const connection = new McpConnection(request);
  const context = { headers: request.headers, signal: request.signal ?? new AbortController().signal };
  try {
    const protocolVersion = await enter(connection, context);
    const { tools, complete } = await listTools(connection, context);
    if (!complete) {
      throw guard(`tools/list does not end within ${MAX_LIST_PAGES} pages; a part of it is never recorded`);
    }
    return { protocolVersion, ...read(tools) };
  } catch (error) {
    throw error instanceof ExchangeError ? failureOf(error) : error;
  } finally {
    await connection.end(context);
  }
}

async function enter(connection: McpConnection, context: CallContext): Promise<ProtocolVersion> {
  const greeting = await greet(connection, context);
  if (!greeting.supported) {
    throw guard(`initialize: the server negotiated unsupported protocol version ${greeting.protocolVersion}`);
  }
  if (!greeting.hasTools) throw guard('initialize: the server does not offer tools');
  await begin(connection, greeting.protocolVersion, context);
  return greeting.protocolVersion;
}

function read(offered: Parameters<typeof readToolListing>[0]): ToolListing {
  try {
    return readToolListing(offered);
  } catch (error) {
    if (error instanceof SandgateError) throw guard(error.message, error);
    throw error;
  }
}

function guard(message: string, cause?: unknown): SnapshotError {
  return new SnapshotError('guard', message, { cause });
}

function failureOf(error: ExchangeError): SnapshotError {
  const { failure, message } = error;
  switch (failure.kind) {
    case 'unsent':
    case 'unclear':
      return new SnapshotError('unreachable', message, { cause: error });
    case 'status': {
      const isCredential = failure.status === 401 || failure.status === 403;
      return new SnapshotError(isCredential ? 'credential' : 'server', message, { cause: error });
    }
    case 'error':
    case 'invalid':
      return new SnapshotError('server', message, { cause: error });
  }
}
