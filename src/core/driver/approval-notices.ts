import { listUnnoticed, listUnnoticedApprovals } from '../approvals/notice-records.js';
import type { Database } from '../record/database.js';
import type { OutboxKind } from '../../domain/run/outbox-kind.js';
import type { NoticeStarter } from '../../platform/temporal/notice-starter.js';
import { RunDriver } from '../../platform/temporal/run-driver.js';
import type { DrivenRun } from '../../platform/temporal/workflow-names.js';

const BATCH = 500;

/** Starts the notices of pending approvals, one each. */
export class ApprovalNotices {
  constructor(
    private readonly starter: NoticeStarter,
    private readonly database: Database,
  ) {}

  /** For every pending approval of a run that has no notice yet. */
  async startOf({ organizationId, runId }: DrivenRun): Promise<void> {
    const ids = await this.database.withTenant(organizationId, (tx) => listUnnoticed(tx, runId));
    for (const approvalId of ids) await this.starter.start({ organizationId, runId, approvalId });
  }

  /**
   * For approvals that have been pending for `olderThanMs` with no notice on record: a driver that lost its store has lost them.
   */
  async startMissing(olderThanMs: number): Promise<void> {
    for (const approval of await listUnnoticedApprovals(this.database.pool, olderThanMs, BATCH))
      await this.starter.start(approval);
  }
}

/**
 * A driver of runs that also starts notices when a call waits for a person. The wake-up's row in the outbox is deleted only after
 * both, so that a crash between them loses neither (docs/design/workflows.md).
 */
export class TellingRunDriver extends RunDriver {
  constructor(
    private readonly notices: ApprovalNotices,
    ...driver: ConstructorParameters<typeof RunDriver>
  ) {
    super(...driver);
  }

  override async wake(run: DrivenRun, wakeUp: OutboxKind): Promise<void> {
    await super.wake(run, wakeUp);
    if (wakeUp === 'approval_requested') await this.notices.startOf(run);
  }
}
