import { setTimeout as sleep } from 'node:timers/promises';
import type { HarnessContext } from '../harness.js';

/** Consecutive replies that may break off before the run fails; each repetition costs money. */
const MAX_BROKEN_REPLIES = 3;

/** Counts replies that broke off, and waits before each repetition. */
export class Patience {
  #broken = 0;

  constructor(private readonly context: HarnessContext) {}

  /** A whole reply arrived. */
  replied(): void {
    this.#broken = 0;
  }

  /** Returns when the reply may be asked for again. @throws the error when it forbids a repetition, or after too many */
  async afterBroken(error: unknown, mayAskAgain: boolean): Promise<void> {
    const { signal, log, contract } = this.context;
    if (!mayAskAgain || signal.aborted || this.#broken >= MAX_BROKEN_REPLIES) throw error;
    this.#broken += 1;
    log(`the model's reply broke off (${this.#broken} in a row); asking again`);
    await sleep(contract.timing.brokenReplyStepMs * this.#broken, undefined, { signal });
  }
}
