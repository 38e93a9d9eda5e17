import { Injectable } from '@nestjs/common';
import { notFound } from '../../domain/resource-id.js';
import { managesOrganization } from '../../core/connections/viewer.js';
import { DeliveryEntity } from '../../core/deliveries/delivery.entity.js';
import { ScheduleDriver } from '../../core/driver/schedule-driver.js';
import { newestDispatches } from '../../core/ingress/webhook-store.js';
import { Database, type TenantTransaction } from '../../core/record/database.js';
import { lockSubscription } from '../../core/triggers/lock-subscription.js';
import { listSubscriptions, newestInvocations, newestRuns } from '../../core/triggers/subscription-records.js';
import { SubscriptionEntity } from '../../core/triggers/subscription.entity.js';
import { mintTriggerToken, revokeTriggerTokens } from '../../core/triggers/trigger-tokens.js';
import { CLOCK } from '../../platform/postgres/write-rows.js';
import { viewerOf, type Principal } from '../auth/principal.js';
import { toEventDispatchView } from '../connections/webhooks.dto.js';
import { toDeliveryView } from '../deliveries/deliveries.dto.js';
import { viewSessions } from '../sessions/view-sessions.js';
import type { RotatedToken, Trigger, TriggerList, TriggerWithHistory } from './trigger-answers.dto.js';
import { TriggerTerms } from './trigger-terms.js';
import { addressesOf, toInvocationView, viewAddressed, viewTrigger, viewTriggers } from './trigger-view.js';

const SHOWN_RUNS = 20;
const SHOWN_DELIVERIES = 20;
const SHOWN_INVOCATIONS = 30;
const SHOWN_DISPATCHES = 30;

/** Reads triggers, switches them on and off, and replaces their tokens (docs/design/triggers.md). */
@Injectable()
export class TriggersService {
  constructor(
    private readonly database: Database,
    private readonly terms: TriggerTerms,
    private readonly schedules: ScheduleDriver,
  ) {}

  /** What the caller may see: all triggers for who manages the organization, none for others. */
  list(principal: Principal, limit: number): Promise<TriggerList> {
    return this.database.withTenant(principal.organizationId, async (tx) => {
      const rows = managesOrganization(viewerOf(principal)) ? await listSubscriptions(tx, limit) : [];
      return { triggers: await viewTriggers(tx, rows), base_url: this.terms.publicUrl };
    });
  }

  /** @throws SandgateError `not_found`, also for who does not manage the organization */
  read(principal: Principal, id: string): Promise<TriggerWithHistory> {
    return this.database.withTenant(principal.organizationId, async (tx) => {
      const row = await tx.manager.findOneBy(SubscriptionEntity, { id });
      if (row === null || !managesOrganization(viewerOf(principal))) throw notFound('trigger');
      const deliveries = await tx.manager.find(DeliveryEntity, {
        where: { subscription_id: id },
        order: { created_at: 'DESC', id: 'DESC' },
        take: SHOWN_DELIVERIES,
      });
      return {
        ...(await viewAddressed(tx, row, { baseUrl: this.terms.publicUrl, now: new Date() })),
        sessions: await viewSessions(tx, await newestRuns(tx, id, SHOWN_RUNS)),
        deliveries: deliveries.map(toDeliveryView),
        invocations: (await newestInvocations(tx, id, SHOWN_INVOCATIONS)).map(toInvocationView),
        dispatches: (await newestDispatches(tx, id, SHOWN_DISPATCHES)).map(toEventDispatchView),
      };
    });
  }

  /**
   * Whether the trigger starts runs at all. Its clock is left as it is: what was missed meanwhile is the missed-run policy's.
   *
   * @throws SandgateError `not_found`
   */
  async switch(organizationId: string, id: string, enabled: boolean): Promise<Trigger> {
    const switched = await this.database.withTenant(organizationId, async (tx) => {
      const locked = await requireLocked(tx, id);
      if (locked.enabled !== enabled)
        await tx.manager.update(SubscriptionEntity, { id }, { enabled, updated_at: CLOCK });
      return viewTrigger(tx, await tx.manager.findOneByOrFail(SubscriptionEntity, { id }));
    });
    if (switched.schedule !== null) await this.schedules.sync({ organizationId, subscriptionId: id });
    return switched;
  }

  /** Replaces every token by a new one, also of a disabled trigger. @throws SandgateError `not_found` */
  rotateToken(organizationId: string, id: string): Promise<RotatedToken> {
    return this.database.withTenant(organizationId, async (tx) => {
      const locked = await requireLocked(tx, id);
      const revoked = await revokeTriggerTokens(tx, id);
      const token = await mintTriggerToken(tx, id);
      return { token, revoked, ...(await addressesOf(tx, locked, this.terms.publicUrl)) };
    });
  }
}

async function requireLocked(tx: TenantTransaction, id: string): Promise<SubscriptionEntity> {
  const locked = await lockSubscription(tx, id, 'change');
  if (locked === null) throw notFound('trigger');
  return locked;
}
