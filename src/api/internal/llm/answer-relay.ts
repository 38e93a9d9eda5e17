import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import type { AnswerFilter } from '../../../platform/llm/metering/usage-filter.js';
import type { AnswerMeter, MeteredAnswer } from '../../../platform/llm/metering/answer-meter.js';
import { UPSTREAM_TIMEOUT_MS } from '../../../platform/llm/upstream.js';
import { preciseNow } from '../../../platform/telemetry/tracing.js';

/** How a model request went. */
export interface RelayedAnswer {
  /** Status of the provider; null when it never answered. */
  status: number | null;
  answer: MeteredAnswer | null;
  /** Whether the whole answer arrived. */
  complete: boolean;
  /** True only when the request provably never left: nothing of it was written. */
  neverSent: boolean;
  /** When the first byte of the answer came, in milliseconds since 1970; null when none did. */
  firstByteAt: number | null;
}

/** How one answer is read and passed on. */
export interface AnswerReading {
  meter(streamed: boolean): AnswerMeter;
  /** What of a stream the client is not given; absent when it is given every byte. */
  filter?: (() => AnswerFilter) | undefined;
}

/** An answer in one piece of up to this many bytes leaves in one write when it is settled; a longer one is passed on as it comes. */
const MAX_HELD_BYTES = 64 * 1024;
/** Headers of a provider's error that tell a client when to come back; no other header is passed on (docs/design/model-gateway.md). */
const RETRY_HEADERS = ['retry-after', 'retry-after-ms', 'x-should-retry'] as const;

/**
 * Passes one answer from the provider to the client byte by byte and meters it on the way. A slow client slows the provider
 * down, so memory stays flat; when a client hangs up the rest is drained, because the stream is the only meter. The client's
 * answer ends with `end`, when the usage is on the record.
 */
export class AnswerRelay implements Dispatcher.DispatchHandler {
  readonly finished: Promise<RelayedAnswer>;
  private finish!: (answer: RelayedAnswer) => void;
  private meter: AnswerMeter | null = null;
  private filter: AnswerFilter | null = null;
  private status: number | null = null;
  private complete = false;
  private head: Record<string, string> = {};
  private held: Buffer[] | null = null;
  private heldBytes = 0;
  private firstByteAt: number | null = null;
  private clientGone = false;
  private readonly timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | null = null;

  constructor(
    private readonly response: ServerResponse,
    private readonly reading: AnswerReading,
  ) {
    this.finished = new Promise((resolve) => {
      this.finish = resolve;
    });
    this.timer = setTimeout(
      () => this.controller?.abort(new Error('the model request took too long')),
      UPSTREAM_TIMEOUT_MS,
    );
    this.timer.unref();
    response.once('close', () => this.loseClient());
    response.on('drain', () => this.resume());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.status = status;
    const streamed = headers['content-type']?.toLowerCase().startsWith('text/event-stream') === true;
    this.meter = this.reading.meter(streamed);
    if (streamed && status < 300) this.filter = this.reading.filter?.() ?? null;
    this.head = answerHeaders(status, streamed, headers);
    if (!streamed) this.held = [];
    else if (!this.clientGone) this.response.writeHead(status, this.head).flushHeaders();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.firstByteAt ??= preciseNow();
    this.meter?.push(chunk);
    this.write(this.filter === null ? chunk : this.filter.push(chunk));
    if (!this.clientGone && this.response.writableNeedDrain) controller.pause();
  }

  onResponseEnd(): void {
    if (this.filter !== null) this.write(this.filter.end());
    this.settle({ complete: true, neverSent: false });
  }

  onResponseError(): void {
    // The request is given its controller when there is a connection, and before the first byte of it is written.
    this.settle({ complete: false, neverSent: this.controller === null });
  }

  /** Ends the client's answer: whole, broken off as the provider's was, or 502 when there was none. */
  end(): void {
    const { response, status, held } = this;
    if (response.destroyed) return;
    if (status === null) {
      response.writeHead(502, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 'the model provider could not be reached' }));
    } else if (!this.complete) {
      response.destroy();
    } else if (held !== null) {
      response.writeHead(status, { ...this.head, 'content-length': this.heldBytes }).end(Buffer.concat(held));
    } else {
      response.end();
    }
  }

  private settle(end: Pick<RelayedAnswer, 'complete' | 'neverSent'>): void {
    clearTimeout(this.timer);
    this.complete = end.complete;
    const { status, firstByteAt } = this;
    this.finish({ ...end, status, firstByteAt, answer: this.meter?.end() ?? null });
  }

  private write(chunk: Buffer): void {
    if (this.clientGone || chunk.length === 0) return;
    if (this.held === null) {
      this.response.write(chunk);
      return;
    }
    this.held.push(chunk);
    this.heldBytes += chunk.length;
    if (this.heldBytes > MAX_HELD_BYTES && this.status !== null) {
      this.response.writeHead(this.status, this.head).write(Buffer.concat(this.held));
      this.held = null;
    }
  }

  private loseClient(): void {
    this.clientGone = true;
    this.resume();
  }

  private resume(): void {
    if (this.controller?.paused === true) this.controller.resume();
  }
}

function answerHeaders(status: number, streamed: boolean, upstream: IncomingHttpHeaders): Record<string, string> {
  const headers: Record<string, string> = streamed
    ? { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }
    : { 'content-type': 'application/json' };
  if (status < 400) return headers;
  for (const name of RETRY_HEADERS) {
    const value = upstream[name];
    if (typeof value === 'string') headers[name] = value;
  }
  return headers;
}
