import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Sealer } from '../../platform/seal/sealer.js';
import type { RecordTransaction } from '../record/record.js';
import type { IngestAttempt } from './ingest-moves.js';

const CHANNEL = 'docsvc_passwords';
/** An ingest that was woken by the same commit may be quicker than the notification. */
const ARRIVES_WITHIN_MS = 5000;
const LOOK_EVERY_MS = 50;
const RECONNECT_MS = 1000;
/** Of attempts that never ended here, because another worker took them. */
const KEPT_AT_MOST = 1000;

interface Message extends IngestAttempt {
  orgId: string;
  sealed: string;
}

/**
 * Sends the password of a document to the workers with the caller's commit. It is told to those that listen at that moment and is written
 * nowhere: neither in a table nor in the history of a workflow.
 */
export async function sendPassword(
  tx: RecordTransaction,
  sealer: Sealer,
  at: IngestAttempt,
  password: string,
): Promise<void> {
  const sealed = sealer.seal(placeOf({ ...at, orgId: tx.organizationId }), password).toString('base64');
  const message: Message = { ...at, orgId: tx.organizationId, sealed };
  await tx.query('select pg_notify($1, $2)', [CHANNEL, JSON.stringify(message)]);
}

/** Keeps passwords in the memory of a worker, from the moment they are sent until the attempt that they are for has ended. */
export class PasswordDesk {
  private readonly passwords = new Map<string, string>();
  private listener: pg.Client | null = null;
  private closed = false;

  constructor(private readonly options: { url: string; sealer: Sealer; onTrouble: (error: unknown) => void }) {}

  /** Listens from now on, and again by itself after the connection was lost. */
  async open(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.options.url,
      application_name: 'docsvc-passwords',
      keepAlive: true,
    });
    client.on('notification', ({ payload = '' }) => this.receive(payload));
    client.on('error', this.options.onTrouble);
    client.on('end', () => this.reopen(client));
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    this.listener = client;
  }

  /** The password for an attempt; null when none arrives. */
  async find(at: IngestAttempt): Promise<string | null> {
    const deadline = Date.now() + ARRIVES_WITHIN_MS;
    while (!this.passwords.has(keyOf(at)) && Date.now() < deadline) await delay(LOOK_EVERY_MS);
    return this.passwords.get(keyOf(at)) ?? null;
  }

  forget(at: IngestAttempt): void {
    this.passwords.delete(keyOf(at));
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.listener?.end();
  }

  private receive(payload: string): void {
    try {
      const message = JSON.parse(payload) as Message;
      const plain = this.options.sealer.open(placeOf(message), Buffer.from(message.sealed, 'base64'));
      this.passwords.set(keyOf(message), plain.toString('utf8'));
      const [oldest] = this.passwords.keys();
      if (this.passwords.size > KEPT_AT_MOST && oldest !== undefined) this.passwords.delete(oldest);
    } catch (error) {
      this.options.onTrouble(error);
    }
  }

  private reopen(lost: pg.Client): void {
    if (this.closed || this.listener !== lost) return;
    this.listener = null;
    const again = (): void => {
      if (this.closed) return;
      this.open().catch((error: unknown) => {
        this.options.onTrouble(error);
        setTimeout(again, RECONNECT_MS).unref();
      });
    };
    setTimeout(again, RECONNECT_MS).unref();
  }
}

const keyOf = ({ versionId, attempt }: IngestAttempt): string => `${versionId}/${attempt}`;

function placeOf({ orgId, versionId, attempt }: IngestAttempt & { orgId: string }) {
  return { orgId, column: 'password of attempt', row: `${versionId}/${attempt}` };
}
