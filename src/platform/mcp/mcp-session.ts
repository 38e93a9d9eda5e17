import { addAbortListener } from 'node:events';
import pLimit from 'p-limit';
import { isExactObject, type ExactObject } from '../../domain/digest/exact-json.js';
import { parseJsonPreservingNumbers } from '../../domain/digest/parse-json.js';
import { SandgateError } from '../../domain/errors.js';
import type { ProtocolVersion } from '../../domain/mcp/protocol-versions.js';
import { findDrift, type FrozenDefinition } from '../../domain/mcp/tool-drift.js';
import { McpConnection, type CallContext, type UpstreamClient } from './connection.js';
import { describeToolDrift, describeVersionDrift } from './describe-drift.js';
import { ExchangeError } from './exchange-error.js';
import { begin, greet } from './handshake.js';
import { listTools } from './list-tools.js';
import type { McpOutcome, ToolDrift } from './mcp-outcome.js';
import { outcomeOf } from './outcome-of-failure.js';
import { readToolAnswer } from './tool-answer.js';

/** What the upstream issued in one handshake, for the table of upstream sessions. */
export interface Handshake {
  upstreamSessionId: string | null;
  protocolVersion: ProtocolVersion;
}

export interface McpSessionOptions {
  client: UpstreamClient;
  /** The exact endpoint. */
  url: string;
  /** The credential's headers, asked for once per call before anything is sent; what it throws is thrown on. */
  headers: () => Promise<Record<string, string>>;
  /** As the run froze them; without a version every supported one is accepted. */
  frozen: { protocolVersion: string | undefined; tools: readonly FrozenDefinition[] };
  /** `/v1/connections/{id}/tools/refresh` of this connection, for the texts of a drift. */
  refreshPath: string;
  /** Called after each accepted handshake and before the call is sent; what it throws is thrown on, and the call is not sent. */
  onHandshake?: (handshake: Handshake) => Promise<void>;
  /** Milliseconds for one request; 30 s unless given. */
  requestTimeoutMs?: number;
}

interface ToolCall {
  frozen: FrozenDefinition;
  /** Null goes upstream as no arguments at all. */
  input: ExactObject | null;
  beforeSending: (() => Promise<void>) | undefined;
}

/**
 * One client session of one run and binding (docs/design/broker.md), never shared: ids, session id and protocol version are its own. Calls
 * are serialized; the first one performs `initialize`. Before each call the server's definition of the tool is compared with the
 * frozen one, which stays as it was frozen whatever the server lists.
 *
 * The official SDK's client is not used here: it reads numbers as doubles, sends requests of its own accord (a permanent event
 * stream, resumptions, repeated posts), bounds neither bodies nor events, repeats upstream error texts, and cannot say whether a
 * request was written.
 */
export class McpSession {
  private readonly connection: McpConnection;
  private readonly queue = pLimit(1);
  private opened = false;

  constructor(private readonly options: McpSessionOptions) {
    this.connection = new McpConnection(options);
  }

  /**
   * Calls one tool by the name that the server knows it by.
   * @param argumentsText JSON text of the arguments, an object or `null`; its numbers go upstream as they are written here
   * @param signal gives the call up: one that still waits is not sent, one under way is ambiguous and cancelled upstream
   * @param beforeSending asked right before `tools/call` is written, after everything that takes time; what it throws is thrown on,
   * and the call is not sent
   * @throws what `headers`, `onHandshake` and `beforeSending` throw; everything about the upstream is an outcome
   */
  async callTool(
    name: string,
    argumentsText: string,
    signal: AbortSignal,
    beforeSending?: () => Promise<void>,
  ): Promise<McpOutcome> {
    const call = this.prepare(name, argumentsText, beforeSending);
    if ('state' in call) return call;
    let begun = false;
    const done = this.queue(() => {
      begun = true;
      return signal.aborted ? notSent('tools/call: given up before it was sent') : this.perform(call, signal);
    });
    const givenUp = Promise.withResolvers<McpOutcome>();
    const listener = addAbortListener(signal, () => {
      if (!begun) givenUp.resolve(notSent('tools/call: given up before it was sent'));
    });
    try {
      return await Promise.race([done, givenUp.promise]);
    } finally {
      listener[Symbol.dispose]();
    }
  }

  /** Ends the upstream session when there is one; false when the server could not be asked to. Takes 5 s at most. */
  async end(headers: Record<string, string>): Promise<boolean> {
    const ended = await this.connection.end({ headers });
    this.forget();
    return ended;
  }

  private prepare(
    name: string,
    argumentsText: string,
    beforeSending: (() => Promise<void>) | undefined,
  ): ToolCall | McpOutcome {
    const frozen = this.options.frozen.tools.find((tool) => tool.name === name);
    if (frozen === undefined) return notSent('tools/call: the tool is not frozen in this run');
    const input = readArguments(argumentsText);
    return input === undefined
      ? notSent('tools/call: the arguments are no JSON object')
      : { frozen, input, beforeSending };
  }

  private async perform(call: ToolCall, signal: AbortSignal): Promise<McpOutcome> {
    const context = { headers: await this.options.headers(), signal };
    try {
      return await this.attempt(call, context);
    } catch (error) {
      if (!isSessionGone(error)) return outcomeOf(error);
    }
    // The upstream does not know the session, so the call was not performed; it is made once more in a new session.
    this.forget();
    try {
      return await this.attempt(call, context);
    } catch (error) {
      return outcomeOf(error);
    }
  }

  private async attempt({ frozen, input, beforeSending }: ToolCall, context: CallContext): Promise<McpOutcome> {
    const drift = (await this.open(context)) ?? (await this.compare(frozen, context));
    if (drift !== null) return drift;
    await beforeSending?.();
    const params = { name: frozen.name, ...(input === null ? {} : { arguments: input }) };
    return readToolAnswer(await this.connection.request('tools/call', params, context));
  }

  private async open(context: CallContext): Promise<ToolDrift | null> {
    if (this.opened) return null;
    this.forget();
    const greeting = await greet(this.connection, context);
    const frozen = this.options.frozen.protocolVersion;
    if (!greeting.supported || greeting.protocolVersion !== (frozen ?? greeting.protocolVersion)) {
      await this.end(context.headers);
      return describeVersionDrift(greeting, frozen, this.options.refreshPath);
    }
    const { protocolVersion } = greeting;
    await begin(this.connection, protocolVersion, context);
    await this.options.onHandshake?.({ upstreamSessionId: this.connection.sessionId, protocolVersion });
    this.opened = true;
    return null;
  }

  private async compare(frozen: FrozenDefinition, context: CallContext): Promise<ToolDrift | null> {
    const isListed = (tools: readonly unknown[]): boolean =>
      tools.some((tool) => (tool as ExactObject | null)?.['name'] === frozen.name);
    const { tools } = await listTools(this.connection, context, isListed);
    const drift = findDrift(frozen, tools);
    return drift === null ? null : describeToolDrift(frozen.name, drift, this.options.refreshPath);
  }

  private forget(): void {
    this.opened = false;
    this.connection.reset();
  }
}

/** 404 means that the session is unknown. Some servers say 400; that is accepted for a listing only, where nothing was called. */
function isSessionGone(error: unknown): boolean {
  if (!(error instanceof ExchangeError) || error.failure.kind !== 'status' || !error.failure.inSession) return false;
  const { status, method } = error.failure;
  return status === 404 || (status === 400 && method === 'tools/list');
}

function notSent(error: string): McpOutcome {
  return { state: 'failed_before_send', error };
}

/** Undefined for what is neither an object nor null. Of a repeated member the last one counts, here as in the gate. */
function readArguments(text: string): ExactObject | null | undefined {
  try {
    const value = parseJsonPreservingNumbers(text);
    return value === null || isExactObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SandgateError) return undefined;
    throw error;
  }
}
