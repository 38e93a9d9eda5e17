import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { SandgateError } from '../../domain/errors.js';
import { Database } from '../../core/record/database.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { MAX_LIMIT } from '../http/limit.js';
import { cursorOf, type WaitRequest } from './approval-cursor.js';
import { listStates, type ApprovalScope, type ApprovalState } from '../../core/approvals/approval-queries.js';

/** The caller's side of a long poll. */
export interface WaitingCaller {
  /** Aborts when the caller hangs up. */
  hungUp: AbortSignal;
  /** Resolves when the answer was sent, or the caller has gone. */
  answered: Promise<void>;
}

/** Milliseconds that a clean stop waits for the answers to waiting callers. */
const ANSWERS_WITHIN_MS = 500;

interface Waiter {
  seen: string;
  limit: number;
  done: () => void;
}

/** One list with all its waiters: they share its wake-ups and its reads. */
interface FollowedList {
  waiters: Set<Waiter>;
  refresh: () => void;
  stop: () => void;
}

/**
 * Long polls of approval lists. However many callers wait for one list, a wake-up costs one read of it; wake-ups come over the
 * one listener of the process, with a shared re-read in case one was lost. No waiter holds a database connection.
 */
@Injectable()
export class ApprovalWatch implements BeforeApplicationShutdown {
  private readonly lists = new Map<string, FollowedList>();
  private readonly callers = new Set<Promise<void>>();
  private stopping = false;

  constructor(
    private readonly database: Database,
    private readonly config: ApiConfig,
    private readonly logger: PinoLogger,
  ) {}

  /** A clean stop answers every waiter with the current list; their cursors work at any other process. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    const callers = [...this.callers];
    for (const list of this.lists.values()) for (const waiter of [...list.waiters]) waiter.done();
    await Promise.race([Promise.all(callers), delay(ANSWERS_WITHIN_MS, undefined, { ref: false })]);
  }

  /**
   * Resolves when the list is not the one that the caller saw, when the time is over, when the caller hangs up, or when this process
   * stops. Throws `unavailable` beyond the number of waiters that one process keeps.
   */
  async untilChanged(scope: ApprovalScope, request: WaitRequest, limit: number, caller: WaitingCaller): Promise<void> {
    if (request.waitMs === 0 || caller.hungUp.aborted || this.stopping) return;
    if (this.callers.size >= this.config.limits.approvalWaiters) {
      throw new SandgateError('unavailable', 'too many callers wait for approvals; ask again', {
        retryAfterSeconds: 2,
      });
    }
    this.callers.add(caller.answered);
    void caller.answered.then(() => this.callers.delete(caller.answered));
    await this.wait(scope, request, limit, caller.hungUp);
  }

  private async wait(scope: ApprovalScope, request: WaitRequest, limit: number, signal: AbortSignal): Promise<void> {
    const key = `${scope.organizationId} ${scope.runId ?? ''} ${scope.invokedBy ?? ''}`;
    const list = this.lists.get(key) ?? this.follow(key, scope);
    await new Promise<void>((resolve) => {
      const waiter: Waiter = { seen: request.seen, limit, done: () => settle() };
      const timer = setTimeout(() => settle(), request.waitMs);
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', settle);
        list.waiters.delete(waiter);
        if (list.waiters.size === 0) list.stop();
        resolve();
      };
      signal.addEventListener('abort', settle, { once: true });
      list.waiters.add(waiter);
      // Read after subscribing: this read sees earlier changes, and later ones wake the waiters.
      list.refresh();
    });
  }

  private follow(key: string, scope: ApprovalScope): FollowedList {
    const waiters = new Set<Waiter>();
    const refresh = coalesced(() => this.compare(scope, waiters));
    const unsubscribe = this.database.wakeups.onInbox(scope.organizationId, refresh);
    const reread = setInterval(refresh, this.config.timing.tailRereadMs);
    const stop = (): void => {
      clearInterval(reread);
      unsubscribe();
      this.lists.delete(key);
    };
    const list = { waiters, refresh, stop };
    this.lists.set(key, list);
    return list;
  }

  private async compare(scope: ApprovalScope, waiters: Set<Waiter>): Promise<void> {
    if (waiters.size === 0) return;
    try {
      const states = await this.database.withTenant(scope.organizationId, (tx) => listStates(tx, scope, MAX_LIMIT));
      answer(waiters, states);
    } catch (error) {
      this.logger.warn({ err: error }, 'approvals could not be read for those who wait; reading again');
    }
  }
}

function answer(waiters: Set<Waiter>, states: ApprovalState[]): void {
  const cursors = new Map<number, string>();
  for (const waiter of [...waiters]) {
    const cursor = cursors.get(waiter.limit) ?? cursorOf(states.slice(0, waiter.limit));
    cursors.set(waiter.limit, cursor);
    if (cursor !== waiter.seen) waiter.done();
  }
}

/** Runs one at a time; a call while one runs makes one more run behind it, however often it comes. */
function coalesced(work: () => Promise<void>): () => void {
  let running = false;
  let again = false;
  const run = async (): Promise<void> => {
    running = true;
    do {
      again = false;
      await work();
    } while (again);
    running = false;
  };
  return () => {
    if (running) again = true;
    else void run();
  };
}
