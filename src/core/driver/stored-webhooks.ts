import { listUnhandledWebhooks } from '../ingress/webhook-store.js';
import type { Database } from '../record/database.js';
import type { WorkflowStarter } from '../../platform/temporal/workflow-starter.js';
import type { StoredWebhookRef } from './driver.js';

const PAGE = 500;

/** Starts the workflows of stored webhooks that should have one and have none: a driver that lost its store has lost them. */
export class StoredWebhooks {
  constructor(
    private readonly starter: Pick<WorkflowStarter<StoredWebhookRef>, 'start'>,
    private readonly database: Pick<Database, 'pool'>,
  ) {}

  /**
   * @param open ids of webhooks whose workflow is open
   * @param olderThanMs younger ones are still being started
   */
  async startMissing(open: ReadonlySet<string>, olderThanMs: number): Promise<void> {
    let page = await listUnhandledWebhooks(this.database.pool, olderThanMs, null, PAGE);
    while (page.length > 0) {
      for (const { organizationId, deliveryId } of page)
        if (!open.has(deliveryId)) await this.starter.start(deliveryId, { organizationId, deliveryId });
      const after = page.at(-1)?.deliveryId ?? null;
      page = await listUnhandledWebhooks(this.database.pool, olderThanMs, after, PAGE);
    }
  }
}
