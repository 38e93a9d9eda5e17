import { Client, ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { Tool } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../domain/json.js';
import { messageOf } from '../log/failure-text.js';
import { BASH_DEFAULT_TIMEOUT_MS, BASH_MAX_TIMEOUT_MS } from '../tools/bash.js';
import type { ToolOutcome } from '../tools/canonical-tool.js';
import type { ServerManifest } from '../launch/server-manifest.js';
import { ServerProcess } from './server-process.js';
import { ServerStartError } from './server-start-error.js';
import { boundAnswer, readAnswer } from './tool-answer.js';

export interface ServerSurroundings {
  cwd: string;
  environment: Record<string, string>;
  signal: AbortSignal;
}

const START_TIMEOUT_MS = 30_000;
/** How often a server is started in one run at most. */
const MAX_STARTS = 4;
/** Schemas are compiled by the control plane's guard alone; an output is shown as it is. */
const NO_VALIDATION = {
  getValidator: () => (input: unknown) => ({ valid: true as const, data: input as never, errorMessage: undefined }),
};

interface Connection {
  client: Client;
  process: ServerProcess;
}

/**
 * One sandbox server of the run, spoken to with the official MCP client. It offers the model nothing by itself: no sampling,
 * no elicitation, no roots. One that ends is started again at the next call, without the state that it had.
 */
export class SandboxServer {
  #connection: Promise<Connection> | null = null;
  #starts = 0;

  constructor(
    private readonly manifest: ServerManifest,
    private readonly surroundings: ServerSurroundings,
  ) {}

  get name(): string {
    return this.manifest.name;
  }

  /** @throws ServerStartError */
  async start(): Promise<void> {
    await this.#connected();
  }

  /** What the server says of its tools. */
  async listTools(): Promise<Tool[]> {
    const { client } = await this.#connected();
    return (await client.listTools(undefined, { timeout: START_TIMEOUT_MS })).tools;
  }

  /** Names of its frozen tools that the server does not list; none when it lists nothing. */
  async missingTools(): Promise<string[]> {
    try {
      const offered = new Set((await this.listTools()).map(({ name }) => name));
      return this.manifest.tools.map(({ name }) => name).filter((name) => !offered.has(name));
    } catch (error) {
      // A server that cannot list its tools may still perform them: the list of this run is the frozen one.
      if (error instanceof SdkError || error instanceof ProtocolError) return [];
      throw error;
    }
  }

  /** Runs one tool. Whatever goes wrong with the server is an answer: an error that the model reads. */
  async call(tool: string, input: JsonObject, timeoutMs = BASH_DEFAULT_TIMEOUT_MS): Promise<ToolOutcome> {
    const limitMs = Math.min(timeoutMs, BASH_MAX_TIMEOUT_MS);
    let connection: Connection;
    try {
      connection = await this.#connected();
    } catch (error) {
      if (error instanceof ServerStartError)
        return { text: error.message, isError: true, note: 'the server does not run' };
      throw error;
    }
    try {
      const answer = await connection.client.callTool(
        { name: tool, arguments: input },
        {
          signal: this.surroundings.signal,
          timeout: limitMs,
          maxTotalTimeout: BASH_MAX_TIMEOUT_MS,
          // A server that reports progress is still working.
          resetTimeoutOnProgress: true,
          onprogress: () => undefined,
        },
      );
      return readAnswer(answer);
    } catch (error) {
      this.surroundings.signal.throwIfAborted();
      return this.#failure(error, connection.process, limitMs);
    }
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => null);
    await connection?.process.close();
  }

  #failure(error: unknown, process: ServerProcess, limitMs: number): ToolOutcome {
    if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
      const note = `no answer within ${limitMs / 1000} s`;
      return { text: `The MCP server ${this.name} gave ${note}; the call was cancelled.`, isError: true, note };
    }
    if (process.ending !== null) {
      const text = `The MCP server ${this.name} is gone: ${process.ending}. The call may have had an effect. The next call starts it again, without its earlier state.`;
      return { text, isError: true, note: 'the server ended' };
    }
    return { text: boundAnswer(messageOf(error)), isError: true, note: 'answered with an error' };
  }

  #connected(): Promise<Connection> {
    const connection = this.#connection?.then((open) => (open.process.ending === null ? open : this.#connect()));
    this.#connection = connection ?? this.#connect();
    return this.#connection;
  }

  async #connect(): Promise<Connection> {
    if (this.#starts >= MAX_STARTS)
      throw new ServerStartError(`The MCP server ${this.name} ended ${this.#starts} times and is not started again.`);
    this.#starts += 1;
    const { command, args } = this.manifest;
    const process = new ServerProcess({ command, args, ...this.surroundings });
    const client = new Client(
      { name: 'sandgate', version: '1' },
      { capabilities: {}, jsonSchemaValidator: NO_VALIDATION },
    );
    try {
      await client.connect(process, { timeout: START_TIMEOUT_MS, signal: this.surroundings.signal });
      return { client, process };
    } catch (error) {
      const reason = process.ending ?? describeStart(error);
      await process.close();
      this.surroundings.signal.throwIfAborted();
      const words = process.lastWords === '' ? '' : ` Its last words: ${process.lastWords}`;
      throw new ServerStartError(`The MCP server ${this.name} of this run could not be started: ${reason}.${words}`);
    }
  }
}

function describeStart(error: unknown): string {
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout
    ? `it did not answer within ${START_TIMEOUT_MS / 1000} s`
    : messageOf(error).slice(0, 500);
}
