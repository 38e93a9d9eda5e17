import { Injectable } from '@nestjs/common';
import { DeliveryEntity } from '../../core/deliveries/delivery.entity.js';
import { resendDelivery } from '../../core/deliveries/delivery-records.js';
import { Database } from '../../core/record/database.js';
import { SandgateError } from '../../domain/errors.js';
import { notFound } from '../../domain/resource-id.js';
import { requireVisible } from '../../core/runs/visible-runs.js';
import type { Principal } from '../auth/principal.js';
import { runViewerOf } from '../auth/run-viewer.js';

/** The results of runs on their way to their destinations (docs/design/deliveries.md). */
@Injectable()
export class DeliveriesService {
  constructor(private readonly database: Database) {}

  /** @throws SandgateError `not_found` */
  list(principal: Principal, runId: string): Promise<DeliveryEntity[]> {
    return this.database.withTenant(principal.organizationId, async (tx) => {
      await requireVisible(tx, runViewerOf(principal), runId);
      return tx.manager.find(DeliveryEntity, {
        where: { session_id: runId },
        order: { created_at: 'ASC', destination_index: 'ASC' },
      });
    });
  }

  /** @throws SandgateError `not_found`; `conflict` while the delivery is on its way */
  resend(principal: Principal, runId: string, deliveryId: string): Promise<DeliveryEntity> {
    return this.database.withTenant(principal.organizationId, async (tx) => {
      await requireVisible(tx, runViewerOf(principal), runId);
      const resent = await resendDelivery(tx, { runId, deliveryId });
      if (resent !== null) return resent;
      if (await tx.manager.existsBy(DeliveryEntity, { id: deliveryId, session_id: runId }))
        throw new SandgateError(
          'conflict',
          'the delivery is still on its way; it can be sent again when it is settled',
        );
      throw notFound('delivery of this run');
    });
  }
}
