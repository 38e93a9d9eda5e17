import type { OutboxKind } from '../../domain/run/outbox-kind.js';
import type { RunDriver } from '../../platform/temporal/run-driver.js';
import type { WorkflowStarter } from '../../platform/temporal/workflow-starter.js';
import type { ApprovalNotices } from './approval-notices.js';
import type { DeliveryWorkflows } from './delivery-workflows.js';

/** What a wake-up is about: a run, or a stored webhook. */
export interface WakeUpSubject {
  organizationId: string;
  subjectId: string;
}

/** A stored webhook as its workflow knows it. */
export interface StoredWebhookRef {
  organizationId: string;
  deliveryId: string;
}

export interface DriverParts {
  runs: RunDriver;
  /** Null when no webhook for pending approvals is configured. */
  notices: Pick<ApprovalNotices, 'startOf'> | null;
  deliveries: Pick<DeliveryWorkflows, 'startOf'>;
  events: Pick<WorkflowStarter<StoredWebhookRef>, 'start'>;
}

/**
 * Carries out what transactions left in the outbox. Everything that a row asks for is done before it is deleted, so that a crash in
 * between loses nothing (docs/design/workflows.md).
 */
export class Driver {
  constructor(private readonly on: DriverParts) {}

  /** @throws the client's error when Temporal cannot be reached */
  async wake({ organizationId, subjectId }: WakeUpSubject, kind: OutboxKind): Promise<void> {
    if (kind === 'webhook_stored') return this.on.events.start(subjectId, { organizationId, deliveryId: subjectId });
    const run = { organizationId, runId: subjectId };
    if (kind === 'deliveries_due') return this.on.deliveries.startOf(run);
    await this.on.runs.wake(run, kind);
    if (kind === 'approval_requested') await this.on.notices?.startOf(run);
  }
}
