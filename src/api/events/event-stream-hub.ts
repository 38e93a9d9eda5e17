import type { ServerResponse } from 'node:http';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import type { LedgerEvent } from '../../domain/events/event-kinds.js';
import { Database } from '../../core/record/database.js';
import { Metrics } from '../../core/metrics/metrics.js';
import type { Principal } from '../auth/principal.js';
import { readEventsAfter } from '../../core/ledger/event-queries.js';
import { EventStream } from './event-stream.js';
import type { Frame } from './event-window.js';
import { RunTail } from './run-tail.js';
import { StreamWatch } from './stream-watch.js';

/** A slow client costs one such batch at a time; an event may have 64 KiB. */
const BATCH = 32;
const KEEP_ALIVE_MS = 15_000;
/** A lost notification costs at most this much time (docs/design/events.md). */
const REREAD_MS = 2000;

interface FollowedRun {
  tail: RunTail;
  stop: () => void;
}

/** The event streams of this process: one tail per run that anybody follows, one listener for all of them. */
@Injectable()
export class EventStreamHub implements BeforeApplicationShutdown {
  readonly #runs = new Map<string, FollowedRun>();
  #keepAlive: NodeJS.Timeout | null = null;
  #stopping = false;

  constructor(
    private readonly database: Database,
    private readonly logger: PinoLogger,
    private readonly watch: StreamWatch,
    metrics: Metrics,
  ) {
    metrics.gauge('service_event_streams', 'Event streams that clients hold open.', () => this.streams());
    database.wakeups.on('reconnected', () => this.refreshAll());
  }

  /**
   * Feeds a client from the event after `after` until either side closes, or a person may not follow the run any more. `head` is the
   * run's seq as just read.
   */
  follow(
    principal: Principal,
    { runId, after, head }: { runId: string; after: number; head: number },
    response: ServerResponse,
  ): void {
    const run = this.#runs.get(runId) ?? this.start(principal.organizationId, runId, head);
    const stream = new EventStream(response, after);
    const unwatch = principal.kind === 'user' ? this.watch.start(principal, runId, () => stream.end()) : null;
    stream.onClose(() => {
      unwatch?.();
      this.leave(runId, run, stream);
    });
    run.tail.add(stream);
    this.#keepAlive ??= setInterval(() => this.keepAlive(), KEEP_ALIVE_MS);
    if (this.#stopping) stream.end();
  }

  /** Streams never end by themselves; a stopping process ends them, and their clients resume elsewhere. */
  beforeApplicationShutdown(): void {
    this.#stopping = true;
    for (const { tail } of this.#runs.values()) for (const stream of tail.streams) stream.end();
    if (this.#keepAlive !== null) clearInterval(this.#keepAlive);
  }

  private streams(): number {
    let open = 0;
    for (const { tail } of this.#runs.values()) open += tail.size;
    return open;
  }

  private start(organizationId: string, runId: string, head: number): FollowedRun {
    const tail = new RunTail(
      head,
      (after) => this.readFrames(organizationId, runId, after),
      (error) => this.logger.warn({ err: error, runId }, 'events could not be read; reading again'),
    );
    const unsubscribe = this.database.wakeups.onSession(runId, () => tail.refresh());
    const reread = setInterval(() => tail.refresh(), REREAD_MS);
    const stop = (): void => {
      clearInterval(reread);
      unsubscribe();
      tail.close();
    };
    const run = { tail, stop };
    this.#runs.set(runId, run);
    return run;
  }

  private leave(runId: string, run: FollowedRun, stream: EventStream): void {
    run.tail.remove(stream);
    if (run.tail.size > 0) return;
    run.stop();
    if (this.#runs.get(runId) === run) this.#runs.delete(runId);
    if (this.#runs.size > 0 || this.#keepAlive === null) return;
    clearInterval(this.#keepAlive);
    this.#keepAlive = null;
  }

  private async readFrames(organizationId: string, runId: string, after: number): Promise<Frame[]> {
    const events = await this.database.withTenant(organizationId, (tx) =>
      readEventsAfter(tx, runId, String(after), BATCH),
    );
    return events.map(renderFrame);
  }

  private keepAlive(): void {
    for (const { tail } of this.#runs.values()) for (const stream of tail.streams) stream.keepAlive();
  }

  private refreshAll(): void {
    for (const { tail } of this.#runs.values()) tail.refresh();
  }
}

/** JSON has no raw line feeds, so an event is one `data:` line. */
export function renderFrame(event: LedgerEvent): Frame {
  return { seq: event.seq, bytes: Buffer.from(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`) };
}
