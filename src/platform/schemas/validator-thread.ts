import { Worker } from 'node:worker_threads';
import {
  VALIDATOR_DEADLINE_MS,
  VALIDATOR_HEAP_MB,
  type ENDED_VALIDATOR,
  type SchemaFinding,
} from '../../domain/gate/schema-finding.js';
import type { SchemaJob, SchemaReply, SchemaRequest } from './schema-job.js';
import { validatorProgram } from './validator-program.js';

/** Either what the validator found, or why its thread had to be ended. */
export type ThreadAnswer =
  | { kind: 'found'; finding: SchemaFinding }
  | { kind: 'ended'; reason: keyof typeof ENDED_VALIDATOR };

const START_TIMEOUT_MS = 10_000;
/** The heap is for both generations together. */
const YOUNG_MB = 16;
/**
 * The deadline is the thread's own processor time, so that no tool becomes unusable because the machine is busy. A thread that
 * has not got its share within this many times the deadline is ended all the same.
 */
const MAX_WALL_FACTOR = 100;

type Ending = (error: Error | null) => void;

/** One validator's thread. It takes one job at a time; once it has ended it takes none. */
export class ValidatorThread {
  /** Jobs before the present one; with none, a failure is caused by the present job alone. */
  served = 0;
  ended = false;
  private readonly worker: Worker;
  private readonly ready: Promise<void>;
  private cpuMsAtRest = 0;
  private onReply: (reply: SchemaReply) => void = () => undefined;
  private onEnd: Ending = () => undefined;

  constructor() {
    this.worker = new Worker(validatorProgram(), {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: VALIDATOR_HEAP_MB - YOUNG_MB, maxYoungGenerationSizeMb: YOUNG_MB },
    });
    this.worker.unref();
    this.worker.on('message', (reply: SchemaReply) => this.onReply(reply));
    this.worker.on('error', (error: Error) => this.noteEnd(error));
    this.worker.on('exit', () => this.noteEnd(null));
    this.ready = this.start();
    this.ready.catch(() => this.end());
  }

  /** Throws when the thread does not start; everything else is an answer. */
  async run(job: SchemaJob): Promise<ThreadAnswer> {
    await this.ready;
    const id = this.served;
    const answer = new Promise<ThreadAnswer>((resolve) => {
      this.onReply = (reply) => {
        this.cpuMsAtRest = reply.cpuMs;
        if (reply.kind === 'found' && reply.id === id) resolve({ kind: 'found', finding: reply.finding });
      };
      this.onEnd = (error) => resolve({ kind: 'ended', reason: isOutOfMemory(error) ? 'outOfMemory' : 'timedOut' });
      if (this.ended) this.onEnd(null);
    });
    const callOff = this.endAtDeadline();
    this.worker.postMessage({ ...job, id } satisfies SchemaRequest);
    try {
      return await answer;
    } finally {
      callOff();
      this.served += 1;
    }
  }

  end(): void {
    this.noteEnd(null);
    void this.worker.terminate();
  }

  private start(): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail: Ending = (cause) => reject(new Error('a schema validator did not start', { cause }));
      const tooLate = setTimeout(() => fail(null), START_TIMEOUT_MS);
      this.onReply = (reply) => {
        clearTimeout(tooLate);
        this.cpuMsAtRest = reply.cpuMs;
        resolve();
      };
      this.onEnd = (error) => {
        clearTimeout(tooLate);
        fail(error);
      };
    });
  }

  private noteEnd(error: Error | null): void {
    if (this.ended) return;
    this.ended = true;
    this.onEnd(error);
  }

  /** Ends the thread once the present job has used its time. @returns what calls that off */
  private endAtDeadline(): () => void {
    const latest = performance.now() + VALIDATOR_DEADLINE_MS * MAX_WALL_FACTOR;
    let answered = false;
    let timer: NodeJS.Timeout;
    const look = async (): Promise<void> => {
      const left = VALIDATOR_DEADLINE_MS - (await this.usedMs(latest));
      if (answered) return;
      if (left <= 0 || performance.now() >= latest) this.end();
      else timer = setTimeout(() => void look(), Math.max(left, 1));
    };
    timer = setTimeout(() => void look(), VALIDATOR_DEADLINE_MS);
    return () => {
      answered = true;
      clearTimeout(timer);
    };
  }

  /** Processor time since the last reply. A thread that is collecting garbage reports late, or never. */
  private async usedMs(latest: number): Promise<number> {
    const told = this.worker.cpuUsage().then(
      ({ user, system }) => (user + system) / 1000 - this.cpuMsAtRest,
      () => 0,
    );
    const silent = new Promise<number>((resolve) => setTimeout(resolve, latest - performance.now(), 0).unref());
    return Promise.race([told, silent]);
  }
}

function isOutOfMemory(error: Error | null): boolean {
  return error !== null && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
