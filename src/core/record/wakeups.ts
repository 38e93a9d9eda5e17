import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import pg from 'pg';

const CHANNEL = 'svc_wakeups';
/** The first wake-up of a quiet time goes out after this long, with whatever came together with it. */
const FIRST_MS = 1;
/** Under load one notification in this time carries all: each one costs a transaction here and a wake-up in every process. */
const INTERVAL_MS = 12;
/** A notification carries less than 8000 bytes: 3 × 48 ids of 36 characters stay below. */
const MAX_IDS = 48;
const RECONNECT_MIN_MS = 100;
const RECONNECT_MAX_MS = 5_000;

interface Notification {
  from: string;
  ledger: string[];
  approvals: string[];
  inboxes: string[];
}

/**
 * Wake-ups between processes. A wake-up says only "look again": the row is the truth, so a lost one costs latency and
 * nothing else. Sending is batched and apart from the transactions that append, because a notification takes a lock of the
 * whole database at commit (docs/design/workflows.md).
 *
 * Emits `reconnected` after the listening connection came back, when anything may have been missed, and `trouble` with the
 * reason when a wake-up could not be sent or the listener was lost.
 */
export class LedgerWakeups extends EventEmitter<{ reconnected: []; trouble: [Error] }> {
  private readonly process = randomUUID();
  private readonly subscribers = new EventEmitter();
  private ledger = new Set<string>();
  private approvals = new Set<string>();
  private inboxes = new Set<string>();
  private timer: NodeJS.Timeout | null = null;
  private flushedAt = 0;
  private sending: Promise<void> = Promise.resolve();
  private listener: pg.Client | null = null;
  private retry: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(
    private readonly url: string,
    private readonly pool: pg.Pool,
    private readonly applicationName: string,
  ) {
    super();
    this.subscribers.setMaxListeners(0);
    this.setMaxListeners(0);
  }

  /** The run's ledger grew. Subscribers of this process hear at once, others within a few milliseconds. */
  publish(runId: string): void {
    this.ledger.add(runId);
    this.schedule();
    this.subscribers.emit(`ledger:${runId}`);
  }

  /** An approval of the run was settled, or the run's status changed under its waiters. */
  publishApproval(runId: string): void {
    this.approvals.add(runId);
    this.schedule();
    this.subscribers.emit(`approval:${runId}`);
  }

  /** An approval of the organization was asked for or settled: its list of pending ones has changed. */
  publishInbox(organizationId: string): void {
    this.inboxes.add(organizationId);
    this.schedule();
    this.subscribers.emit(`inbox:${organizationId}`);
  }

  /** Calls back whenever the run's ledger may have grown. @returns the way to stop */
  onSession(runId: string, callback: () => void): () => void {
    return this.subscribe(`ledger:${runId}`, callback);
  }

  /** Calls back when an approval of the run or its status may have changed, after a reconnect as well. @returns the way to stop */
  onApproval(runId: string, callback: () => void): () => void {
    return this.subscribeSurely(`approval:${runId}`, callback);
  }

  /** Calls back when the organization's pending approvals may have changed, after a reconnect as well. @returns the way to stop */
  onInbox(organizationId: string, callback: () => void): () => void {
    return this.subscribeSurely(`inbox:${organizationId}`, callback);
  }

  /** Opens the one listening connection of this process; comes back by itself when it is lost. */
  async listen(): Promise<void> {
    if (this.listener !== null || this.closed) return;
    await this.connectListener();
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.retry !== null) clearTimeout(this.retry);
    if (this.timer !== null) this.flush();
    await this.sending;
    const listener = this.listener;
    this.listener = null;
    await listener?.end();
  }

  private subscribe(name: string, callback: () => void): () => void {
    this.subscribers.on(name, callback);
    return () => void this.subscribers.off(name, callback);
  }

  /** Also after a reconnect: a wake-up may have been missed. */
  private subscribeSurely(name: string, callback: () => void): () => void {
    const stop = this.subscribe(name, callback);
    this.on('reconnected', callback);
    return () => {
      stop();
      this.off('reconnected', callback);
    };
  }

  private schedule(): void {
    if (this.timer !== null) return;
    const next = this.flushedAt + INTERVAL_MS - performance.now();
    this.timer = setTimeout(() => this.flush(), Math.max(FIRST_MS, next));
  }

  private flush(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.flushedAt = performance.now();
    const ledger = [...this.ledger];
    const approvals = [...this.approvals];
    const inboxes = [...this.inboxes];
    this.ledger = new Set();
    this.approvals = new Set();
    this.inboxes = new Set();
    const payloads: string[] = [];
    for (let i = 0; i === 0 || i < Math.max(ledger.length, approvals.length, inboxes.length); i += MAX_IDS) {
      const part: Notification = {
        from: this.process,
        ledger: ledger.slice(i, i + MAX_IDS),
        approvals: approvals.slice(i, i + MAX_IDS),
        inboxes: inboxes.slice(i, i + MAX_IDS),
      };
      payloads.push(JSON.stringify(part));
    }
    this.sending = this.sending.then(() => this.send(payloads));
  }

  private async send(payloads: string[]): Promise<void> {
    try {
      await this.pool.query({
        name: 'svc_notify',
        text: 'select svc_notify($1, $2::text[])',
        values: [CHANNEL, payloads],
      });
    } catch (error) {
      // The others look again every 2 s and after a reconnect.
      this.emit('trouble', error as Error);
    }
  }

  private async connectListener(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: `${this.applicationName}-listen`,
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
    });
    client.on('notification', (message) => this.receive(message.payload ?? ''));
    client.on('error', (error) => this.emit('trouble', error));
    client.on('end', () => this.lost(client));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      await client.end().catch((cause: Error) => this.emit('trouble', cause));
      throw error;
    }
    if (this.closed) await client.end();
    else this.listener = client;
  }

  private lost(client: pg.Client): void {
    if (this.closed || this.listener !== client) return;
    this.listener = null;
    this.reconnect(RECONNECT_MIN_MS);
  }

  private reconnect(afterMs: number): void {
    this.retry = setTimeout(() => {
      this.retry = null;
      this.connectListener().then(
        () => this.emit('reconnected'),
        (error: Error) => {
          this.emit('trouble', error);
          if (!this.closed) this.reconnect(Math.min(afterMs * 2, RECONNECT_MAX_MS));
        },
      );
    }, afterMs);
  }

  private receive(payload: string): void {
    const message = JSON.parse(payload) as Notification;
    if (message.from === this.process) return;
    for (const runId of message.ledger) this.subscribers.emit(`ledger:${runId}`);
    for (const runId of message.approvals) this.subscribers.emit(`approval:${runId}`);
    for (const organizationId of message.inboxes) this.subscribers.emit(`inbox:${organizationId}`);
  }
}
