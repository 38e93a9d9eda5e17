import { Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { SandgateError } from '../../../domain/errors.js';
import { readApproval, expireApprovals } from '../../../core/approvals/approvals.js';
import type { ApprovalEntity } from '../../../core/approvals/approval.entity.js';
import { Database } from '../../../core/record/database.js';
import { runAcceptsWork } from '../../../core/runs/run-status.js';
import { ApiConfig } from '../../foundation/foundation.module.js';
import { LimitBreaches } from '../limits/limit-breaches.js';
import { RunLimits } from '../limits/run-limits.js';

/** Which approval is waited for. */
export interface AwaitedApproval {
  organizationId: string;
  runId: string;
  approvalId: string;
}

/** How a wait ended. The row may be pending still: then the run ended first. */
export interface WaitEnd {
  row: ApprovalEntity;
  /** Whether the run accepted work when the row was read. */
  active: boolean;
}

interface Wait {
  waiters: number;
  settled: Promise<WaitEnd | null>;
  /** Ends the current pause early. */
  wake: () => void;
}

/**
 * Waits for approvals to be settled, or for their run to end, whichever is first. The rows are the truth: notifications only
 * shorten the pause between two reads, which is two seconds at most, and expiry is decided by the database's clock. However many
 * callers wait for one approval, they share one reader.
 */
@Injectable()
export class ApprovalWaits implements BeforeApplicationShutdown {
  private readonly closing = new AbortController();
  private readonly waits = new Map<string, Wait>();

  constructor(
    private readonly database: Database,
    private readonly config: ApiConfig,
    private readonly limits: RunLimits,
    private readonly breaches: LimitBreaches,
  ) {}

  /** A clean stop does not wait for people: the callers are told to come again, and then read the row. */
  beforeApplicationShutdown(): void {
    this.closing.abort();
  }

  /**
   * The settled row, or the pending one of a run that accepts no more work; null when `signal` aborted first, which leaves the approval as it is. Throws `unavailable` when this
   * process stops, or too many calls of the run wait already.
   */
  async settled(awaited: AwaitedApproval, signal: AbortSignal): Promise<WaitEnd | null> {
    const { runId } = awaited;
    const leave = this.limits.enter(runId, 'parked_permissions', this.config.limits.parkedPermissions);
    if (leave === null) {
      this.breaches.note(runId, 'parked_permissions');
      throw new SandgateError('unavailable', 'too many waiting calls of this run; retry', { retryAfterSeconds: 2 });
    }
    try {
      return await this.join(awaited, signal);
    } finally {
      leave();
    }
  }

  private async join(awaited: AwaitedApproval, signal: AbortSignal): Promise<WaitEnd | null> {
    const wait = this.waits.get(awaited.approvalId) ?? this.begin(awaited);
    wait.waiters += 1;
    const { promise: aborted, resolve } = Promise.withResolvers<null>();
    const stop = (): void => resolve(null);
    // Taken off again below: each would keep what was waited for as long as its signal lives, that of the process for ever.
    const signals = [signal, this.closing.signal];
    for (const one of signals) one.addEventListener('abort', stop);
    if (signals.some((one) => one.aborted)) stop();
    try {
      const end = await Promise.race([wait.settled, aborted]);
      if (end === null && this.closing.signal.aborted && !signal.aborted) {
        throw new SandgateError('unavailable', 'the server is stopping; ask again', { retryAfterSeconds: 1 });
      }
      return end;
    } finally {
      for (const one of signals) one.removeEventListener('abort', stop);
      wait.waiters -= 1;
      if (wait.waiters === 0) {
        this.waits.delete(awaited.approvalId);
        wait.wake();
      }
    }
  }

  private begin(awaited: AwaitedApproval): Wait {
    const wait: Wait = { waiters: 0, settled: Promise.resolve(null), wake: () => undefined };
    this.waits.set(awaited.approvalId, wait);
    wait.settled = this.follow(awaited, wait);
    return wait;
  }

  private async follow(awaited: AwaitedApproval, wait: Wait): Promise<WaitEnd | null> {
    const notice = { came: false };
    const onWake = (): void => {
      notice.came = true;
      wait.wake();
    };
    const stop = this.database.wakeups.onApproval(awaited.runId, onWake);
    try {
      for (;;) {
        notice.came = false;
        const seen = await this.read(awaited);
        if (seen.row.status !== 'pending' || !seen.active) return seen;
        if (wait.waiters === 0) return null;
        if (!notice.came) await pause(this.pauseMs(seen.row), wait);
      }
    } finally {
      stop();
    }
  }

  private async read(awaited: AwaitedApproval): Promise<WaitEnd> {
    return this.database.withTenant(awaited.organizationId, async (tx) => {
      // The run before the row: an approval that comes between the two reads is then seen, or knows that the run has ended.
      const active = await runAcceptsWork(tx, awaited.runId);
      const row = await readApproval(tx, awaited.approvalId);
      const isDue = row.expires_at !== null && row.expires_at.getTime() <= Date.now();
      if (row.status !== 'pending' || !isDue) return { row, active };
      // By this process's clock it has expired; the database's clock decides.
      await expireApprovals(tx, awaited.runId);
      return { row: await readApproval(tx, awaited.approvalId), active };
    });
  }

  private pauseMs(row: ApprovalEntity): number {
    const longest = this.config.timing.tailRereadMs;
    const untilExpiry = row.expires_at === null ? longest : row.expires_at.getTime() - Date.now();
    return Math.min(longest, Math.max(untilExpiry, 10));
  }
}

async function pause(ms: number, wait: Wait): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    wait.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
  wait.wake = () => undefined;
}
