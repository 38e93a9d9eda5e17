import type { Readable, Writable } from 'node:stream';
import { isJsonObject, parseJsonObject } from '../../../domain/json.js';
import type { JsonObject, JsonValue } from '../../../domain/json.js';
import { textOf } from './text-member.js';

/** A refused request of the other side, as JSON-RPC says it. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;
/** A program that writes a longer line is given up: nothing that it says may fill the runner's memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

export interface PeerHandlers {
  /** Answers a request of the program; an {@link RpcError} becomes its error, any other error an internal one without its text. */
  onRequest(method: string, params: JsonObject): Promise<JsonValue>;
  onNotification(method: string, params: JsonObject): void;
}

type Waiting = { resolve: (result: JsonObject) => void; reject: (error: Error) => void };

/**
 * JSON-RPC in lines, as `codex app-server` speaks it on its standard input and output: without the member `jsonrpc`
 * (docs/design/runner.md). Lines that are no message are skipped.
 */
export class JsonLinesPeer {
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #ended: Error | null = null;

  constructor(
    private readonly input: Writable,
    output: Readable,
    private readonly handlers: PeerHandlers,
  ) {
    output.on('data', (chunk: Buffer) => this.#receive(chunk));
    // The program may go while something is written to it; its end is told by `end`.
    input.on('error', () => undefined);
  }

  /** @throws RpcError when the program refuses it; Error when the program is gone */
  request(method: string, params: JsonObject): Promise<JsonObject> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  notify(method: string): void {
    this.#send({ method });
  }

  /** Nothing more will come: every open request rejects with the reason. */
  end(reason: Error): void {
    if (this.#ended !== null) return;
    this.#ended = reason;
    this.#pending = [];
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  #send(message: JsonObject): void {
    if (this.#ended === null) this.input.write(`${JSON.stringify(message)}\n`);
  }

  #receive(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0 && this.#ended === null; end = rest.indexOf(10)) {
      const line = Buffer.concat([...this.#pending, rest.subarray(0, end)]).toString('utf8');
      this.#pending = [];
      this.#pendingBytes = 0;
      this.#deliver(line);
      rest = rest.subarray(end + 1);
    }
    if (this.#ended !== null || rest.length === 0) return;
    this.#pending.push(rest);
    this.#pendingBytes += rest.length;
    if (this.#pendingBytes > MAX_LINE_BYTES)
      this.end(new Error(`it wrote a message of more than ${MAX_LINE_BYTES} bytes`));
  }

  #deliver(line: string): void {
    const message = parseJsonObject(line);
    if (message === null) return;
    const { id, method } = message;
    const params = isJsonObject(message['params']) ? message['params'] : {};
    if (typeof method !== 'string') return this.#settle(message);
    if (id === undefined) return this.handlers.onNotification(method, params);
    void this.#answer(id, method, params);
  }

  async #answer(id: JsonValue, method: string, params: JsonObject): Promise<void> {
    try {
      this.#send({ id, result: await this.handlers.onRequest(method, params) });
    } catch (error) {
      const known = error instanceof RpcError;
      this.#send({
        id,
        error: { code: known ? error.code : INTERNAL_ERROR, message: known ? error.message : 'the request failed' },
      });
    }
  }

  #settle({ id, result, error }: JsonObject): void {
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (typeof id !== 'number' || waiting === undefined) return;
    this.#waiting.delete(id);
    if (!isJsonObject(error)) return waiting.resolve(isJsonObject(result) ? result : {});
    const { code, message } = error;
    waiting.reject(new RpcError(typeof code === 'number' ? code : INTERNAL_ERROR, textOf(message)));
  }
}
