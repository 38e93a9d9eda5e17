import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { installationFolder } from '../../../../src/platform/host/installation-folder.js';
import type { RunErrorCode } from '../../domain/extraction/run/run-errors.js';
import type { ThreadMessage, ThreadResult } from './thread-messages.js';

const PROGRAM = 'src/platform/extraction/program/main.js';
/** Pages with their words take most of it, about 0.2 MiB each. */
const HEAP_MIB = 2048;
const TIME_MS = { ofAny: 60_000, ofPage: 500, most: 1_800_000 };

/** What a document came to, or by which limit it ended. */
export type ThreadOutcome =
  | { kind: 'result'; result: ThreadResult }
  | {
      kind: 'failed';
      code: Extract<RunErrorCode, 'timeout_item' | 'memory_limit' | 'extraction_crashed'>;
      cause?: unknown;
    };

/**
 * The engine in a thread of its own: whatever a document does to it, steps of others go on beside it, and it ends by its limits of time and
 * memory.
 */
export class ExtractionThread {
  private readonly worker: Worker;
  private readonly ended: Promise<ThreadOutcome>;

  constructor() {
    const worker = new Worker(join(installationFolder('dist/documents', PROGRAM), PROGRAM), {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    this.worker = worker;
    // Listened for from the beginning: it may end while it is still being sent pages.
    this.ended = new Promise((resolve) => {
      worker.once('message', (result: ThreadResult) => resolve({ kind: 'result', result }));
      worker.once('error', (cause) => resolve({ kind: 'failed', code: codeOf(cause), cause }));
      worker.once('exit', () => resolve({ kind: 'failed', code: 'extraction_crashed' }));
    });
  }

  send(message: ThreadMessage): void {
    this.worker.postMessage(message);
  }

  /**
   * Asks for the values of a schema, in what was sent before. The thread has ended then.
   *
   * @param pages how many that is, by which its time is measured
   * @throws the reason of the signal, when that aborts
   */
  async extract(
    question: Omit<Extract<ThreadMessage, { kind: 'extract' }>, 'kind'>,
    pages: number,
    signal: AbortSignal,
  ): Promise<ThreadOutcome> {
    const limitMs = Math.min(TIME_MS.most, TIME_MS.ofAny + TIME_MS.ofPage * pages);
    const answered = new AbortController();
    try {
      this.send({ kind: 'extract', ...question });
      return await Promise.race([
        this.ended,
        delay(limitMs, { kind: 'failed', code: 'timeout_item' } as const, {
          signal: AbortSignal.any([signal, answered.signal]),
        }),
      ]);
    } finally {
      answered.abort();
      await this.end();
    }
  }

  /** Again is success. */
  async end(): Promise<void> {
    await this.worker.terminate();
  }
}

function codeOf(cause: unknown): 'memory_limit' | 'extraction_crashed' {
  if (!(cause instanceof Error)) return 'extraction_crashed';
  const isFull =
    ('code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY') || /^Invalid (string|array) length/.test(cause.message);
  return isFull ? 'memory_limit' : 'extraction_crashed';
}
