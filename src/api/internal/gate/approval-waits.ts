import { Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { SandgateError } from '../../../domain/errors.js';
import { readApproval, expireApprovals } from '../../../platform/db/approvals.js';
import type { ApprovalRow } from '../../../platform/db/approvals.js';
import { Database } from '../../../platform/db/database.js';
import { ApiConfig } from '../../foundation.module.js';
import { LimitBreaches } from '../limits/limit-breaches.js';
import { RunLimits } from '../limits/run-limits.js';

/** Which approval is waited for. */
export interface AwaitedApproval {
  organizationId: string;
  sessionId: string;
  approvalId: string;
}

interface Wait {
  waiters: number;
  settled: Promise<ApprovalRow | null>;
  /** Cuts the present pause short. */
  wake: () => void;
}

/**
 * Waits for approvals to be settled. The row is the truth: notifications only shorten the pause between two reads, which is
 * two seconds at most, and expiry is decided by the database's clock (chapter 30 §7.4). However many callers wait for one
 * approval, they share one reader.
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

  /** A clean stop does not wait for people: the callers are told to come again, and find the row as it is then. */
  beforeApplicationShutdown(): void {
    this.closing.abort();
  }

  /**
   * The settled row; null when `signal` aborted first, which leaves the approval as it is. Throws `unavailable` when this
   * process stops, or too many calls of the run wait already.
   */
  async settled(awaited: AwaitedApproval, signal: AbortSignal): Promise<ApprovalRow | null> {
    const { sessionId } = awaited;
    const leave = this.limits.enter(sessionId, 'parked_permissions', this.config.limits.parkedPermissions);
    if (leave === null) {
      this.breaches.note(sessionId, 'parked_permissions');
      throw new SandgateError('unavailable', 'too many waiting calls of this run; retry', { retryAfterSeconds: 2 });
    }
    try {
      return await this.join(awaited, signal);
    } finally {
      leave();
    }
  }

  private async join(awaited: AwaitedApproval, signal: AbortSignal): Promise<ApprovalRow | null> {
    const wait = this.waits.get(awaited.approvalId) ?? this.begin(awaited);
    wait.waiters += 1;
    const either = AbortSignal.any([signal, this.closing.signal]);
    const aborted = new Promise<null>((resolve) => {
      if (either.aborted) resolve(null);
      else either.addEventListener('abort', () => resolve(null), { once: true });
    });
    try {
      const row = await Promise.race([wait.settled, aborted]);
      if (row === null && this.closing.signal.aborted && !signal.aborted) {
        throw new SandgateError('unavailable', 'the server is stopping; ask again', { retryAfterSeconds: 1 });
      }
      return row;
    } finally {
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

  private async follow(awaited: AwaitedApproval, wait: Wait): Promise<ApprovalRow | null> {
    const notice = { came: false };
    const onWake = (): void => {
      notice.came = true;
      wait.wake();
    };
    const stop = this.database.wakeups.onApproval(awaited.sessionId, onWake);
    this.database.wakeups.on('reconnected', onWake);
    try {
      for (;;) {
        notice.came = false;
        const row = await this.read(awaited);
        if (row.status !== 'pending') return row;
        if (wait.waiters === 0) return null;
        if (!notice.came) await pause(this.pauseMs(row), wait);
      }
    } finally {
      stop();
      this.database.wakeups.off('reconnected', onWake);
    }
  }

  private async read(awaited: AwaitedApproval): Promise<ApprovalRow> {
    return this.database.withTenant(awaited.organizationId, async (tx) => {
      const row = await readApproval(tx, awaited.approvalId);
      if (row.status !== 'pending' || row.expires_at === null || row.expires_at.getTime() > Date.now()) return row;
      // This process's clock says that it is over; the database's decides.
      await expireApprovals(tx, awaited.sessionId);
      return readApproval(tx, awaited.approvalId);
    });
  }

  private pauseMs(row: ApprovalRow): number {
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
