import type { DeliveryWay } from '../domain/deliveries/delivery-way.js';
import { waitAfter } from '../domain/deliveries/retry-plan.js';
import type { NewEvent } from '../domain/events/event-kinds.js';
import type { HeadSigner } from '../domain/ledger/signed-head.js';
import { addressOf, type ResultDestination } from '../domain/run/result-destination.js';
import { readDelivery, recordAttempt, type DeliverySubject } from '../core/deliveries/delivery-records.js';
import type { ResultSender, Sent } from '../core/deliveries/result-sender.js';
import { signLedgerHead } from '../core/ledger/ledger-heads.js';
import type { Database } from '../core/record/database.js';
import { whileHeartbeating } from '../platform/temporal/heartbeats.js';
import type { ResultDeliveryActivities } from './run-activities.js';

export interface ResultDeliveryDependencies {
  database: Database;
  sender: Pick<ResultSender, 'send'>;
  signer: HeadSigner;
  /** Between two attempts; there is one attempt more. */
  waitsMs: readonly number[];
  log: Record<'warn', (fields: Record<string, unknown>, message: string) => void>;
}

type Progress = Awaited<ReturnType<ResultDeliveryActivities['attemptDelivery']>>;

/** Brings results of runs to where people look. A run is never changed by it. */
export function createResultDeliveryActivities(on: ResultDeliveryDependencies): ResultDeliveryActivities {
  return {
    attemptDelivery: (way, attempt, random) =>
      whileHeartbeating(async (signal, { attempt: tries }) => {
        const progress = await attemptOnce(on, { way, attempt, random, repeated: tries > 1 }, signal);
        // Its events stand behind the end of the run, whose head was signed before them.
        if (progress.waitMs === null) await signLedgerHead(on.database, way.organizationId, way.runId, on.signer);
        return progress;
      }),
  };
}

/**
 * What is on the record decides: an attempt whose activity was lost before it was recorded is made again under its number, and one
 * that was recorded is not.
 */
async function attemptOnce(
  on: ResultDeliveryDependencies,
  { way, attempt, random, repeated }: { way: DeliveryWay; attempt: number; random: number; repeated: boolean },
  signal: AbortSignal,
): Promise<Progress> {
  const { organizationId, runId, deliveryId } = way;
  const subject = await on.database.withTenant(organizationId, (tx) => readDelivery(tx, deliveryId));
  if (subject === null || subject.status !== 'pending' || subject.resends !== way.resends)
    return { attempt, waitMs: null };
  if (subject.attempts >= attempt)
    return { attempt: subject.attempts, waitMs: Math.max(0, subject.msUntilNextAttempt ?? 0) };
  const number = subject.attempts + 1;
  const sent = await on.sender.send({ organizationId, runId, deliveryId, attempt: number, repeated, subject }, signal);
  return record(on, { way, attempt: number, subject, random }, sent);
}

async function record(
  on: ResultDeliveryDependencies,
  made: { way: DeliveryWay; attempt: number; subject: DeliverySubject; random: number },
  sent: Sent,
): Promise<Progress> {
  const { way, attempt, subject } = made;
  const { error, payloadDigest } = sent;
  const waitMs = error === null ? null : waitAfter(on.waitsMs, attempt, made.random);
  const status = error === null ? 'delivered' : waitMs === null ? 'failed' : 'pending';
  await on.database.withTenant(way.organizationId, async (tx) => {
    const recorded = await recordAttempt(tx, way, { attempt, status, error, payloadDigest, waitMs });
    if (recorded && waitMs === null)
      await tx.append(way.runId, [settledEvent(way, attempt, subject.destination, sent)]);
  });
  if (error !== null) {
    const fields = { deliveryId: way.deliveryId, runId: way.runId, attempt, error };
    on.log.warn(fields, waitMs === null ? 'a result was given up' : 'a result was not delivered; trying again');
  }
  return { attempt, waitMs };
}

function settledEvent(
  { deliveryId }: DeliveryWay,
  attempt: number,
  destination: ResultDestination,
  sent: Sent,
): NewEvent {
  if (sent.error === null) {
    const data = { delivery_id: deliveryId, url: sent.url, attempt };
    return { actor: 'system', type: 'callback.delivered', data };
  }
  const data = { delivery_id: deliveryId, url: addressOf(destination), attempts: attempt, error: sent.error };
  return { actor: 'system', type: 'callback.failed', data };
}
