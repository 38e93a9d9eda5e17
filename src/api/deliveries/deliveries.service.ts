import { Injectable } from '@nestjs/common';
import { DeliveryEntity } from '../../core/deliveries/delivery.entity.js';
import { resendDelivery } from '../../core/deliveries/delivery-records.js';
import { Database } from '../../core/record/database.js';
import { SandgateError } from '../../domain/errors.js';
import { notFound } from '../../domain/resource-id.js';
import { requireSessionExists } from '../sessions/session-lookup.js';

/** The results of runs on their way to their destinations (docs/design/deliveries.md). */
@Injectable()
export class DeliveriesService {
  constructor(private readonly database: Database) {}

  /** @throws SandgateError `not_found` */
  list(organizationId: string, runId: string): Promise<DeliveryEntity[]> {
    return this.database.withTenant(organizationId, async (tx) => {
      await requireSessionExists(tx, runId);
      return tx.manager.find(DeliveryEntity, {
        where: { session_id: runId },
        order: { created_at: 'ASC', destination_index: 'ASC' },
      });
    });
  }

  /** @throws SandgateError `not_found`; `conflict` while the delivery is on its way */
  resend(organizationId: string, runId: string, deliveryId: string): Promise<DeliveryEntity> {
    return this.database.withTenant(organizationId, async (tx) => {
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
