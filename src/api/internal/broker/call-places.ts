import { Injectable } from '@nestjs/common';
import pLimit, { type LimitFunction } from 'p-limit';
import { SandgateError } from '../../../domain/errors.js';
import { GATE_MESSAGES } from '../../../domain/gate/messages.js';
import { ApiConfig } from '../../foundation/foundation.module.js';
import { LimitBreaches } from '../limits/limit-breaches.js';
import { RunEnd, type WaitedRun } from './run-end.js';

/** The result of work that nobody waits for any more. */
const LEFT = Symbol('left');

/**
 * Brokered calls of each run that are dispatched at once; further ones wait here, in their order, because a workflow takes a bounded
 * number of updates.
 */
@Injectable()
export class CallPlaces {
  private readonly runs = new Map<string, LimitFunction>();

  constructor(
    private readonly config: ApiConfig,
    private readonly breaches: LimitBreaches,
    private readonly end: RunEnd,
  ) {}

  /**
   * Does the work in one of the run's places. A caller that went away while it waited gives its place up.
   *
   * @throws SandgateError `invalid_request` when the run ends before there is a place
   */
  async during<T>(run: WaitedRun, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const places = this.placesOf(run.runId);
    const isFull = places.activeCount + places.pendingCount >= this.config.limits.brokeredCalls;
    const waiting = new AbortController();
    const placed = places(async () => {
      if (waiting.signal.aborted) return LEFT;
      waiting.abort();
      if (signal.aborted) throw new SandgateError('unavailable', 'the caller went away while it waited');
      return work();
    }).finally(() => this.forgetIdle(run.runId, places));
    if (isFull) this.breaches.note(run.runId, 'brokered_calls');
    const answer = await (isFull ? Promise.race([placed, this.leaveAtEnd(run, waiting)]) : placed);
    if (answer === LEFT) throw new SandgateError('invalid_request', GATE_MESSAGES.sessionNotActive);
    return answer;
  }

  /** Gives up waiting for a place when the run ends first. Otherwise never resolves, because the work then gives the answer. */
  private async leaveAtEnd(run: WaitedRun, waiting: AbortController): Promise<typeof LEFT> {
    const hasEnded = await this.end.reached(run, waiting.signal).catch((error: unknown) => {
      if (waiting.signal.aborted) return false;
      waiting.abort();
      throw error;
    });
    if (!hasEnded || waiting.signal.aborted) return new Promise(() => undefined);
    waiting.abort();
    return LEFT;
  }

  private placesOf(runId: string): LimitFunction {
    const places = this.runs.get(runId) ?? pLimit(this.config.limits.brokeredCalls);
    this.runs.set(runId, places);
    return places;
  }

  private forgetIdle(runId: string, places: LimitFunction): void {
    if (places.activeCount + places.pendingCount === 0) this.runs.delete(runId);
  }
}
