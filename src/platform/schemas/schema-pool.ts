import { ENDED_VALIDATOR, type SchemaFinding } from '../../domain/gate/schema-finding.js';
import { FairQueue } from './fair-queue.js';
import type { SchemaJob } from './schema-job.js';
import { ValidatorThread } from './validator-thread.js';

const MAX_THREADS = 2;
/** A thread holds some megabytes; it is ended after this time without work. */
const IDLE_MS = 60_000;

interface Waiting {
  job: SchemaJob;
  resolve: (finding: SchemaFinding) => void;
  reject: (reason: unknown) => void;
}

/**
 * Holds arguments against frozen schemas in threads of their own (docs/design/gate.md), which are started when they are needed. A thread
 * whose validator passes its deadline or its memory is ended and replaced; runs are served in rotation, so that hostile schemas
 * of one delay its own calls and no others.
 */
export class SchemaPool {
  private readonly queue = new FairQueue<Waiting>();
  private readonly threads = new Set<ValidatorThread>();
  private readonly idle = new Map<ValidatorThread, NodeJS.Timeout>();
  private busy = 0;
  private closed = false;

  /**
   * @param run whose call it is
   * @throws Error when no thread can be started, or the pool has been closed
   */
  check(run: string, job: SchemaJob): Promise<SchemaFinding> {
    return new Promise((resolve, reject) => {
      this.queue.push(run, { job, resolve, reject });
      this.dispatch();
    });
  }

  /** Ends every thread; what still waits fails. */
  close(): void {
    this.closed = true;
    for (const thread of this.threads) this.end(thread);
    this.dispatch();
  }

  private dispatch(): void {
    while (this.busy < MAX_THREADS) {
      const waiting = this.queue.take();
      if (waiting === undefined) return;
      this.busy += 1;
      void this.serve(waiting);
    }
  }

  private async serve({ job, resolve, reject }: Waiting): Promise<void> {
    try {
      resolve(await this.ask(job, this.takeThread()));
    } catch (error) {
      reject(error);
    } finally {
      this.busy -= 1;
      this.dispatch();
    }
  }

  private async ask(job: SchemaJob, thread: ValidatorThread): Promise<SchemaFinding> {
    const alone = thread.served === 0;
    const answer = await thread.run(job).finally(() => this.rest(thread));
    this.refuseWhenClosed();
    if (answer.kind === 'found') return answer.finding;
    // The schemas of earlier calls share the heap; in a fresh thread this validator may have enough.
    if (answer.reason === 'outOfMemory' && !alone) return this.ask(job, this.startThread());
    return { kind: 'unusable', reason: ENDED_VALIDATOR[answer.reason] };
  }

  private takeThread(): ValidatorThread {
    this.refuseWhenClosed();
    const [resting] = this.idle.keys();
    if (resting === undefined) return this.startThread();
    clearTimeout(this.idle.get(resting));
    this.idle.delete(resting);
    return resting;
  }

  private startThread(): ValidatorThread {
    const thread = new ValidatorThread();
    this.threads.add(thread);
    return thread;
  }

  private rest(thread: ValidatorThread): void {
    if (thread.ended || this.closed) return this.end(thread);
    this.idle.set(thread, setTimeout(() => this.end(thread), IDLE_MS).unref());
  }

  private end(thread: ValidatorThread): void {
    clearTimeout(this.idle.get(thread));
    this.idle.delete(thread);
    this.threads.delete(thread);
    thread.end();
  }

  private refuseWhenClosed(): void {
    if (this.closed) throw new Error('the schema validators have been stopped');
  }
}
