import { Injectable } from '@nestjs/common';
import { SandgateError } from '../../domain/errors.js';

/** Simulations that wait for the one that runs. */
const MAX_WAITING = 8;

/** One simulation at a time per process: each takes a share of the event loop, and together they must not starve the gate. */
@Injectable()
export class SimulationQueue {
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  /** @throws SandgateError `unavailable` when too many wait */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.waiting >= MAX_WAITING) {
      throw new SandgateError('unavailable', 'too many simulations wait; try again later', { retryAfterSeconds: 5 });
    }
    this.waiting += 1;
    const before = this.last;
    const done = Promise.withResolvers<void>();
    this.last = done.promise;
    await before;
    this.waiting -= 1;
    try {
      return await work();
    } finally {
      done.resolve();
    }
  }
}
