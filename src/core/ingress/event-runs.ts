import { SandgateError } from '../../domain/errors.js';
import { destinationsOf } from '../../domain/triggers/destination.js';
import {
  attributesOf,
  resourceOf,
  templateKeysOf,
  trustTierOf,
  workspaceOf,
} from '../../domain/triggers/events/pull-request-event.js';
import { SKIP_REASONS } from '../../domain/triggers/subscription.js';
import { renderTemplate } from '../../domain/triggers/template.js';
import { isUniqueViolation } from '../../platform/postgres/database-errors.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { insertRows, insertUnlessThere } from '../../platform/postgres/write-rows.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { lockSubscription } from '../triggers/lock-subscription.js';
import {
  isSkip,
  isUnpersisted,
  skipReasonOf,
  unattendedStarter,
  type Firing,
  type SubscriptionRuns,
} from '../triggers/subscription-runs.js';
import type { SubscriptionEntity } from '../triggers/subscription.entity.js';
import { DispatchEntity } from './dispatch.entity.js';
import { listUndispatched, settleWebhook } from './webhook-store.js';
import { WebhookEntity } from './webhook.entity.js';

export interface EventRunParts {
  database: Database;
  runs: Pick<SubscriptionRuns, 'start' | 'attempt'>;
  /** Where repositories of connections are cloned from. */
  cloneBase: string;
  /** Clock time in milliseconds. */
  now: () => number;
  log: Record<'warn', (fields: Record<string, unknown>, message: string) => void>;
}

/** How long an event waits for what may pass: a full queue, a server that is away. */
const PATIENCE_MS = 24 * 60 * 60 * 1000;
const SHORTEST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 5 * 60_000;
const MAX_REASON = 1000;
const ONE_DISPATCH = 'trigger_dispatches_once';

/** What came of one match: final, or to be tried again. */
type Served = 'done' | 'later';

/**
 * Starts what a stored webhook asks for: one run for each subscription that listens to it, each in a transaction of its own, so that
 * none stops the others (docs/design/ingress.md). It may be asked any number of times, also at once: it completes what is missing.
 */
export class EventRuns {
  constructor(private readonly on: EventRunParts) {}

  /** @returns how long to wait before the next attempt; null when nothing is left to do */
  async start({ organizationId, deliveryId }: { organizationId: string; deliveryId: string }): Promise<number | null> {
    const { webhook, matches } = await this.on.database.withTenant(organizationId, async (tx) => ({
      webhook: await tx.manager.findOneByOrFail(WebhookEntity, { id: deliveryId }),
      matches: await listUndispatched(tx, deliveryId),
    }));
    const ageMs = this.on.now() - webhook.received_at.getTime();
    const served: Served[] = [];
    for (const subscriptionId of matches)
      served.push(await this.serve({ organizationId, webhook, subscriptionId, isOld: ageMs > PATIENCE_MS }));
    if (served.includes('later')) return waitAtAge(ageMs);
    // A trigger that was enabled meanwhile, and whose event was sent again, still waits.
    const settled = await this.on.database.withTenant(organizationId, (tx) => settleWebhook(tx, deliveryId));
    return settled ? null : 0;
  }

  private async serve(match: Match): Promise<Served> {
    const { organizationId, webhook, subscriptionId, isOld } = match;
    try {
      await this.on.runs.attempt(() =>
        this.on.database.withTenant(organizationId, (tx) => this.startWithin(tx, match)),
      );
      return 'done';
    } catch (cause) {
      // Another worker that was taken for dead did the same.
      if (isUniqueViolation(cause, ONE_DISPATCH)) return 'done';
      const about = { err: cause, deliveryId: webhook.id, subscriptionId };
      if (mayPass(cause) && !isOld) {
        this.on.log.warn(about, 'a run of an event could not be started yet; trying again');
        return 'later';
      }
      this.on.log.warn(about, 'a run of an event could not be started');
      const reason = cause instanceof SandgateError ? skipReasonOf(cause) : 'error: internal error';
      const status = isSkip(cause) ? 'skipped' : 'error';
      await this.on.database.withTenant(organizationId, (tx) =>
        insertUnlessThere(tx, DispatchEntity, dispatchOf(match, { status, skip_reason: reason.slice(0, MAX_REASON) })),
      );
      return 'done';
    }
  }

  private async startWithin(tx: TenantTransaction, match: Match): Promise<void> {
    const { webhook, subscriptionId } = match;
    const subscription = await lockSubscription(tx, subscriptionId);
    if (subscription?.enabled !== true) return;
    const of = { delivery_id: webhook.id, subscription_id: subscriptionId };
    if (await tx.manager.existsBy(DispatchEntity, of)) return;
    const firing = firingOf(subscription, webhook, this.on.cloneBase);
    const started = await this.on.runs.start(tx, firing);
    const outcome: Outcome =
      started.outcome === 'created'
        ? { status: 'created', session_id: firing.runId }
        : { status: 'skipped', skip_reason: SKIP_REASONS.overlap };
    await insertRows(tx, DispatchEntity, [dispatchOf(match, outcome)]);
  }
}

interface Match {
  organizationId: string;
  webhook: WebhookEntity;
  subscriptionId: string;
  /** The event is too old to be tried again. */
  isOld: boolean;
}

type Outcome = Pick<DispatchEntity, 'status'> & Partial<Pick<DispatchEntity, 'session_id' | 'skip_reason'>>;

function dispatchOf({ organizationId, webhook, subscriptionId }: Match, outcome: Outcome) {
  const { id: delivery_id, event } = webhook;
  const of = { tenant_id: organizationId, delivery_id, subscription_id: subscriptionId };
  const about = { event_type: event.type, resource: resourceOf(event) };
  return { id: newRowId(), ...of, ...about, session_id: null, skip_reason: null, ...outcome };
}

/** Of an event's run: what the stranger wrote is context, and everything that decides comes from the host or from us. */
function firingOf(subscription: SubscriptionEntity, webhook: WebhookEntity, cloneBase: string): Firing {
  const { event, connection_id: connectionId } = webhook;
  const { repository, number, head_sha: headSha } = event;
  return {
    subscription,
    runId: newRowId(),
    starter: unattendedStarter('webhook', subscription.id, subscription.tenant_id),
    invocation: {
      kind: 'event',
      actor: `codehost:${event.author}`,
      subscription_id: subscription.id,
      attributes: attributesOf(event),
      received_at: webhook.received_at.toISOString(),
      provider: 'codehost',
      external_event_id: webhook.external_event_id,
      event_type: event.type,
      resource: resourceOf(event),
      ...(event.occurred_at === null ? {} : { occurred_at: event.occurred_at }),
    },
    task: renderTemplate(subscription.task_template ?? '', templateKeysOf(event)),
    workspace: workspaceOf(event, { connectionId, cloneBase }),
    trustTier: trustTierOf(event),
    destinations: destinationsOf(subscription, { connectionId, repository, number, headSha }),
  };
}

/** What time may heal. A defect counts as such, because the next version may have none. */
function mayPass(cause: unknown): boolean {
  if (!(cause instanceof SandgateError)) return true;
  if (isUnpersisted(cause)) return false;
  return ['queue_full', 'rate_limited', 'unavailable', 'out_of_capacity', 'internal'].includes(cause.code);
}

/** A quarter of the event's age: soon at first, and every five minutes in the end. */
function waitAtAge(ageMs: number): number {
  return Math.round(Math.min(Math.max(ageMs / 4, SHORTEST_WAIT_MS), LONGEST_WAIT_MS));
}
