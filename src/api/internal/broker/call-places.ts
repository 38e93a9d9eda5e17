import { Injectable } from '@nestjs/common';
import pLimit, { type LimitFunction } from 'p-limit';
import { SandgateError } from '../../../domain/errors.js';
import { ApiConfig } from '../../foundation.module.js';
import { LimitBreaches } from '../limits/limit-breaches.js';

/**
 * Brokered calls of each run that are dispatched at once; further ones wait here, in their order, because a workflow takes a bounded
 * number of updates (00-design §2).
 */
@Injectable()
export class CallPlaces {
  private readonly runs = new Map<string, LimitFunction>();

  constructor(
    private readonly config: ApiConfig,
    private readonly breaches: LimitBreaches,
  ) {}

  /** Does the work in one of the run's places. A caller that went away while it waited gives its place up. */
  async during<T>(sessionId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const places = this.runs.get(sessionId) ?? pLimit(this.config.limits.brokeredCalls);
    this.runs.set(sessionId, places);
    if (places.activeCount + places.pendingCount >= this.config.limits.brokeredCalls) {
      this.breaches.note(sessionId, 'brokered_calls');
    }
    try {
      return await places(() => {
        if (signal.aborted) throw new SandgateError('unavailable', 'the caller went away while it waited');
        return work();
      });
    } finally {
      if (places.activeCount + places.pendingCount === 0) this.runs.delete(sessionId);
    }
  }
}
