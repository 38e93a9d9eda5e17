import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { installationFolder } from '../../../../src/platform/host/installation-folder.js';
import type { EngineAnswer, EngineMessage, EngineResult } from './engine-messages.js';

/** One file: it is started for every document. */
const PROGRAM = 'engine/main.js';
/** Pages with their words take most of it, about 0.2 MiB each. */
const HEAP_MIB = 2048;
const TIME_MS = { ofAny: 60_000, ofPage: 500, most: 1_800_000 };
/** In which it takes one message. */
const SENDING_MS = 60_000;

/** Signals by which others end a process; by any other one it ended by a fault of its own. */
const FROM_OUTSIDE: readonly (NodeJS.Signals | null)[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];

/** What a document came to, or by which limit it ended. */
export type EngineOutcome =
  | { kind: 'result'; result: EngineResult }
  | { kind: 'failed'; code: 'timeout_item' | 'memory_limit' | 'extraction_crashed'; at?: string[] }
  /** Somebody else ended it, as a host without memory does: that says nothing of the document. */
  | { kind: 'killed' };

/**
 * The engine in a process of its own, for one document or those of one combined run: whatever they do to it, steps of others go on beside it, and it
 * ends by its limits of time and memory. A thread would not do: one whose memory is full can take its process along.
 */
export class EngineProcess {
  private readonly child: ChildProcess;
  private readonly ended: Promise<EngineOutcome>;
  private isOverdue = false;

  /**
   * @param heapMib memory of its values
   * @param sendingMs in which it takes one message
   */
  constructor(
    heapMib = HEAP_MIB,
    private readonly sendingMs = SENDING_MS,
  ) {
    const { NODE_COMPILE_CACHE } = process.env;
    const child = fork(join(installationFolder('dist/documents', PROGRAM), PROGRAM), {
      execArgv: [`--max-old-space-size=${heapMib}`, '--enable-source-maps'],
      env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE },
      serialization: 'advanced',
      // What it prints may hold words of a document.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.child = child;
    // Listened for from the beginning: it may end while it is still being sent pages.
    this.ended = new Promise((resolve) => {
      child.once('message', (answer) => resolve(outcomeOf(answer as EngineAnswer)));
      child.once('error', () => resolve({ kind: 'failed', code: 'extraction_crashed' }));
      child.once('exit', (_code, signal) => resolve(this.endedBy(signal)));
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /**
   * Resolves once the message is on its way. To an engine that has ended nothing is sent, and one that takes nothing is ended; {@link extract} says
   * how.
   */
  async send(message: EngineMessage): Promise<void> {
    if (!this.child.connected) return;
    const overdue = setTimeout(() => {
      this.isOverdue = true;
      this.end();
    }, this.sendingMs);
    const sent = new Promise<void>((resolve) => this.child.send(message, () => resolve()));
    // What waits behind a process that was killed may be told neither as sent nor as lost.
    await Promise.race([sent, this.ended]);
    clearTimeout(overdue);
  }

  /**
   * Asks for the values of a schema, in what was sent before. The engine has ended then.
   *
   * @param pages how many that is, by which its time is measured
   * @throws the reason of the signal, when that aborts
   */
  async extract(
    question: Omit<Extract<EngineMessage, { kind: 'extract' }>, 'kind'>,
    pages: number,
    signal: AbortSignal,
  ): Promise<EngineOutcome> {
    const limitMs = Math.min(TIME_MS.most, TIME_MS.ofAny + TIME_MS.ofPage * pages);
    const answered = new AbortController();
    const overdue = delay(limitMs, { kind: 'failed', code: 'timeout_item' } as const, {
      signal: AbortSignal.any([signal, answered.signal]),
    });
    try {
      // Beside each other: whoever cancels does not wait for an engine that has not taken the question yet.
      const [outcome] = await Promise.all([
        Promise.race([this.ended, overdue]),
        this.send({ kind: 'extract', ...question }),
      ]);
      signal.throwIfAborted();
      return outcome;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      answered.abort();
      this.end();
    }
  }

  private endedBy(signal: NodeJS.Signals | null): EngineOutcome {
    if (this.isOverdue) return { kind: 'failed', code: 'timeout_item' };
    if (FROM_OUTSIDE.includes(signal)) return { kind: 'killed' };
    return { kind: 'failed', code: signal === 'SIGABRT' ? 'memory_limit' : 'extraction_crashed' };
  }

  /** Again is success. */
  end(): void {
    this.child.kill('SIGKILL');
  }
}

function outcomeOf(answer: EngineAnswer): EngineOutcome {
  if (answer.kind === 'result') return answer;
  return { kind: 'failed', code: answer.isFull ? 'memory_limit' : 'extraction_crashed', at: answer.at };
}
