import { callbackHeaders } from '../../domain/deliveries/webhook-headers.js';
import { resultBody, type RunResult } from '../../domain/deliveries/result-body.js';
import { digestOfText } from '../../domain/digest/digest.js';
import { SandgateError } from '../../domain/errors.js';
import type { ResultDestination } from '../../domain/run/result-destination.js';
import { CodehostError } from '../../platform/codehost/codehost-error.js';
import type { GuardedClient } from '../../platform/egress/guarded-client.js';
import { sendWebhook } from '../../platform/egress/send-webhook.js';
import type { Sealer } from '../../platform/seal/sealer.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { openCallbackSecret, readCallbackSecret } from './callback-secret.js';
import { refuseCallbackUrl } from './callback-url.js';
import type { DeliverySubject } from './delivery-records.js';
import { recheckDestination } from './recheck-destination.js';
import { readRunResult } from './run-result.js';

export type PublishedDestination = Exclude<ResultDestination, { kind: 'signed_webhook' }>;

/** A result that is published at the code host. */
export interface Publication {
  organizationId: string;
  destination: PublishedDestination;
  /** Authorization generation of the connection that it is bound to. */
  generation: number;
  run: RunResult['run'];
  subscription: { id: string; name: string };
  /** The attempt was begun before and lost: what it has published may not be on the record. */
  repeated: boolean;
}

/** What a publication came to: where it is seen, and the digest (`sha256:` and hex) of what was published; null when nothing had to be. */
export interface Published {
  url: string;
  payloadDigest: string | null;
}

export interface SenderParts {
  database: Database;
  sealer: Pick<Sealer, 'open'>;
  /** Toward hosts that tenants name. */
  client: Pick<GuardedClient, 'request' | 'admitUrl'>;
  /** Base of links. */
  publicUrl: string;
  /** Of one attempt at a callback. */
  timeoutMs: number;
  /** @throws SandgateError or CodehostError in words of ours, when it did not succeed */
  publish(publication: Publication): Promise<Published>;
}

/** What came of one attempt; `error` is our own sentence, with nothing that the destination wrote. */
export type Sent = { payloadDigest: string | null } & ({ url: string; error: null } | { error: string });

/** One attempt at one destination. */
export interface Sending {
  organizationId: string;
  runId: string;
  deliveryId: string;
  attempt: number;
  /** It was begun before and lost. */
  repeated: boolean;
  subject: Pick<DeliverySubject, 'subscriptionId' | 'subscriptionName' | 'destination'>;
}

/** The look at the record before an attempt. */
type Prepared =
  | { problem: string }
  | { generation: number; result: RunResult; sealed: Awaited<ReturnType<typeof readCallbackSecret>> };

/**
 * Makes attempts to bring results to their destinations. Every failure of an attempt is a value; what is thrown says nothing about the
 * destination.
 */
export class ResultSender {
  constructor(private readonly on: SenderParts) {}

  /** Looks anew whether the result may go there, makes what is sent, and sends it once. */
  async send(sending: Sending, signal: AbortSignal): Promise<Sent> {
    const { organizationId, subject } = sending;
    const prepared = await this.on.database.withTenant(organizationId, (tx) => prepare(tx, sending));
    if ('problem' in prepared) return failed(prepared.problem);
    const { destination } = subject;
    return destination.kind === 'signed_webhook'
      ? this.call(destination.url, sending, prepared, signal)
      : this.publish(destination, sending, prepared);
  }

  private async call(
    url: string,
    { organizationId, deliveryId, attempt, subject }: Sending,
    { result, sealed }: Exclude<Prepared, { problem: string }>,
    signal: AbortSignal,
  ): Promise<Sent> {
    const { client, publicUrl, timeoutMs, sealer } = this.on;
    const refused = refuseCallbackUrl(url, { client, publicUrl });
    if (refused !== null) return failed(`callback_url rejected: ${refused}`);
    if (sealed === null) return failed('the trigger has no callback secret to sign with');
    const ref = { organizationId, subscriptionId: subject.subscriptionId };
    const secret = await failedByUs(() => openCallbackSecret(sealer, ref, sealed));
    if (typeof secret !== 'string') return failed(`the callback secret could not be opened: ${secret.message}`);
    const body = JSON.stringify(resultBody(result, { id: deliveryId, attempt }));
    const headers = callbackHeaders(secret, { id: deliveryId, body, at: new Date() });
    const outcome = await sendWebhook(client, { url, headers, body, timeoutMs }, signal);
    const payloadDigest = digestOfText(body);
    return outcome.delivered ? { payloadDigest, url, error: null } : { payloadDigest, error: outcome.error };
  }

  private async publish(
    destination: PublishedDestination,
    { organizationId, subject, repeated }: Sending,
    { generation, result }: Exclude<Prepared, { problem: string }>,
  ): Promise<Sent> {
    const subscription = { id: subject.subscriptionId, name: subject.subscriptionName };
    const published = await failedByUs(() =>
      this.on.publish({ organizationId, destination, generation, run: result.run, subscription, repeated }),
    );
    return published instanceof Error ? failed(published.message) : { ...published, error: null };
  }
}

async function prepare(tx: TenantTransaction, { runId, subject }: Sending): Promise<Prepared> {
  const { subscriptionId, destination } = subject;
  const checked = await recheckDestination(tx, { runId, subscriptionId, destination });
  if ('problem' in checked) return checked;
  const result = await readRunResult(tx, runId);
  if (result === null) return { problem: 'the run is gone' };
  const sealed =
    destination.kind === 'signed_webhook' ? await readCallbackSecret(tx, subscriptionId, checked.generation) : null;
  return { generation: checked.generation, result, sealed };
}

function failed(error: string): Sent {
  return { payloadDigest: null, error };
}

/** Errors in our own words are what came of the attempt; any other one is a defect, or the database's. */
async function failedByUs<T>(work: () => Promise<T>): Promise<T | SandgateError | CodehostError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SandgateError || error instanceof CodehostError) return error;
    throw error;
  }
}
