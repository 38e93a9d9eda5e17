import type { Confine, ConfinedCommand, ConfinedResult, ConfinedTalk } from '../../../../src/platform/host/confine.js';
import type { ParserLimits } from './parser-limits.js';
import { outcomeOf } from './parser-outcome.js';
import type { ParserOutcome } from './parser-protocol.js';
import { AnswerReader } from './read-answer.js';

/** One call of a program. */
export interface ParserQuestion<T> {
  request: object;
  limits: ParserLimits;
  /** The program ends with the answer. */
  isLast: boolean;
  accept: (item: unknown) => T;
  signal?: AbortSignal | undefined;
}

/** One jailed program from its start to its end, asked one question after the other. */
export class JailedParser {
  /** What it spent on its answers, in milliseconds. */
  usedMs = 0;
  private readonly result: Promise<ConfinedResult>;
  private readonly ended: Promise<void>;
  private readonly killer = new AbortController();
  private readonly talk = Promise.withResolvers<ConfinedTalk>();
  private take: (chunk: Buffer) => void = () => this.kill();
  private hasEnded = false;

  /** @param ended called at its end, with what it wrote to standard error */
  constructor(confine: Confine, command: ConfinedCommand, ended: (errors: string) => void) {
    const dialogue = { started: this.talk.resolve, output: (chunk: Buffer) => this.take(chunk) };
    this.result = confine({ ...command, dialogue, signal: this.killer.signal });
    const settle = (errors: string): void => {
      this.hasEnded = true;
      ended(errors);
    };
    // Why it could not be started or ended is told to whoever asks it.
    this.ended = this.result.then(
      ({ stderr }) => settle(stderr.toString('utf8')),
      () => settle(''),
    );
  }

  /** True when it waits for the next question. */
  get isWaiting(): boolean {
    return !this.hasEnded && !this.killer.signal.aborted;
  }

  /** @throws what `signal` was aborted with, and what {@link Confine} throws */
  async ask<T>({ request, limits, isLast, accept, signal }: ParserQuestion<T>): Promise<ParserOutcome<T>> {
    const answer = new AnswerReader(limits.maxLineBytes, accept);
    const answered = Promise.withResolvers<ConfinedTalk>();
    const began = performance.now();
    const kill = (): void => this.kill();
    signal?.addEventListener('abort', kill, { once: true });
    if (signal?.aborted === true) kill();
    const asking = this.talk.promise.then((talk) => {
      this.take = (chunk) => {
        answer.push(chunk);
        if (answer.fault !== null) this.kill();
        else if (answer.end?.failure === null && !isLast) answered.resolve(talk);
      };
      talk.begin();
      talk.stdin[isLast ? 'end' : 'write'](`${JSON.stringify(request)}\n`);
      return answered.promise;
    });
    try {
      const ended = await Promise.race([asking.then((talk) => talk.rest()), this.result]);
      signal?.throwIfAborted();
      return ended === undefined ? { items: answer.items, failure: null } : outcomeOf(answer, ended, limits);
    } finally {
      this.take = kill;
      this.usedMs += performance.now() - began;
      signal?.removeEventListener('abort', kill);
    }
  }

  /** Ends it, whatever it does, and waits until nothing of it is left. */
  async end(): Promise<void> {
    this.kill();
    await this.ended;
  }

  private kill(): void {
    this.killer.abort();
  }
}
