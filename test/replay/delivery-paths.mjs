import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { placeOfCallbackSecret } from '../../dist/src/core/deliveries/callback-secret.js';
import { Database } from '../../dist/src/core/record/database.js';
import { createSealer } from '../../dist/src/core/seal/create-sealer.js';

const SAYS = [{ say: 'hello' }];
const SECRET = `svc_whsec_${'5'.repeat(64)}`;

/** Seconds to an hour would be too long for a recording. */
export const deliveryEnvironment = { SERVICE_DELIVERY_WAITS_MS: '200,200,200,200,200' };

/** Each plays one path of the workflow that brings a result to its destination; the receiver refuses it so often. */
export function deliveryPaths(receiver, dataDir) {
  const play = async (stage, refusals) => {
    const id = await stage.start('actor', SAYS);
    await stage.until(id, 'completed');
    await stage.closed(id);
    receiver.refusals = refusals;
    const delivery = await deliver(stage, { id, dataDir, url: receiver.url });
    const closed = await stage.closedWorkflow(`delivery-${delivery}`);
    receiver.refusals = 0;
    return closed;
  };
  return {
    'delivery-delivered': (stage) => play(stage, 0),
    'delivery-retried': (stage) => play(stage, 2),
    'delivery-failed': (stage) => play(stage, 6),
  };
}

/** A run that has ended is given a subscription, a binding and a delivery, as it would have had from the start. */
async function deliver(stage, { id, dataDir, url }) {
  const { rows } = await stage.database.query(
    `insert into trigger_subscriptions (id, tenant_id, agent_id, name, trigger_kind)
     select gen_random_uuid(), tenant_id, agent_id, $2, 'api' from sessions where id = $1 returning id, tenant_id`,
    [id, `of ${id}`],
  );
  const [{ id: subscription, tenant_id: organization }] = rows;
  const sealed = await seal(dataDir, { organizationId: organization, subscriptionId: subscription });
  await stage.database.query(
    `update trigger_subscriptions set callback_url = $2, callback_secret_sealed = $3, callback_secret_key_version = $4
     where id = $1`,
    [subscription, url, sealed.bytes, sealed.keyVersion],
  );
  const destination = { kind: 'signed_webhook', url };
  const bound = await stage.database.query(
    `insert into run_resource_bindings (id, tenant_id, session_id, requirement_slot, slot_kind, authority_kind,
       subscription_id, authority_generation, resource_scope, resolved_by_principal_kind, binding_mode)
     values (gen_random_uuid(), $1, $2, 'publish:0', 'result_publish', 'subscription_secret', $3, 1, $4, 'operator', 'organization')
     returning id`,
    [organization, id, subscription, destination],
  );
  const made = await stage.database.query(
    `with made as (
       insert into result_deliveries (id, tenant_id, session_id, subscription_id, destination_index, destination, next_attempt_at)
       values (gen_random_uuid(), $1, $2, $3, 0, $4, clock_timestamp()) returning id, tenant_id, session_id
     ), woken as (
       insert into driver_outbox (tenant_id, subject_id, kind) select tenant_id, session_id, 'deliveries_due' from made
     )
     select id from made`,
    [organization, id, subscription, { ...destination, binding_id: bound.rows[0].id }],
  );
  return made.rows[0].id;
}

async function seal(dataDir, subscription) {
  const url = `postgres://sandgate@/sandgate?host=${encodeURIComponent(join(dataDir, 'pg'))}`;
  const database = await Database.connect({ url, poolSize: 1, applicationName: 'sandgate-recorder' });
  try {
    const staticKek = Buffer.from(readFileSync(join(dataDir, 'kek'), 'utf8').trim(), 'hex');
    const sealer = createSealer(database, { kmsMode: 'static', staticKek, credentialKey: null });
    return await sealer.seal(placeOfCallbackSecret(subscription), SECRET);
  } finally {
    await database.close();
  }
}
