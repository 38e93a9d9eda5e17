import type { DeliveryWay } from '../../domain/deliveries/delivery-way.js';
import { listOverdueDeliveries, listPendingDeliveries } from '../deliveries/delivery-records.js';
import type { Database } from '../record/database.js';
import type { DrivenRun } from '../../platform/temporal/workflow-names.js';
import type { WorkflowStarter } from '../../platform/temporal/workflow-starter.js';

const BATCH = 500;

/** Starts what brings results to their destinations, one workflow for each way of a delivery. */
export class DeliveryWorkflows {
  constructor(
    private readonly starter: Pick<WorkflowStarter<DeliveryWay>, 'start'>,
    private readonly database: Database,
  ) {}

  /** For every delivery of a run that is not settled. */
  async startOf({ organizationId, runId }: DrivenRun): Promise<void> {
    const pending = await this.database.withTenant(organizationId, (tx) => listPendingDeliveries(tx, runId));
    for (const delivery of pending) await this.start(delivery);
  }

  /** For deliveries whose next attempt has been due for `olderThanMs`: a driver that lost its store has lost them. */
  async startMissing(olderThanMs: number): Promise<void> {
    for (const delivery of await listOverdueDeliveries(this.database.pool, olderThanMs, BATCH))
      await this.start(delivery);
  }

  /** The workflow of an earlier way may still be closing, so each way has a name of its own. */
  private start(delivery: DeliveryWay): Promise<void> {
    const { deliveryId, resends } = delivery;
    return this.starter.start(resends === 0 ? deliveryId : `${deliveryId}-${resends + 1}`, delivery);
  }
}
