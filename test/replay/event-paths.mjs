import { randomUUID } from 'node:crypto';

/** Of gRPC. */
const NOT_FOUND = 5;
const SHA = 'ec26c3e57ca3a959ca5aad62de7213c562f8c821';

/** A webhook that was stored two seconds ago and whose wake-up was lost, for a trigger of its own: maintenance starts its workflow. */
async function storeWebhook(stage, subscription) {
  const [connection, delivery] = [randomUUID(), randomUUID()];
  const event = { type: 'pull_request.opened', repository: 'acme/shop', number: 2, head_sha: SHA, fork: true };
  const texts = {
    occurred_at: null,
    title: 't',
    url: '',
    author: 'jane',
    head_ref: 'b',
    base_sha: '',
    base_ref: 'main',
  };
  await stage.database.query(
    `insert into integration_connections (id, tenant_id, provider, external_account_id, display_name, status, auth_kind, owner_type)
     select $1::uuid, tenant_id, 'codehost', $1, 'octo', 'active', 'static', 'organization' from agents where name = 'actor'`,
    [connection],
  );
  await stage.database.query(
    `insert into trigger_subscriptions (id, tenant_id, agent_id, name, trigger_kind, task_template, connection_id, repositories, events, publish)
     select $1::uuid, tenant_id, id, $1, 'event', '[{"say":"hello"}]', $2, '{}', '{pull_request.opened}', '{}' from agents where name = 'actor'`,
    [subscription, connection],
  );
  await stage.database.query(
    `insert into trigger_deliveries (id, tenant_id, connection_id, external_event_id, event_type, payload, payload_digest, event, received_at)
     select $1::uuid, tenant_id, id, $1, 'pull_request.opened', '{}', 'sha256:' || repeat('0', 64), $3, clock_timestamp() - interval '2 s'
       from integration_connections where id = $2`,
    [delivery, connection, { ...event, ...texts }],
  );
  return delivery;
}

/** The first execution of the webhook's workflow, and the run that it started, once both are over. */
async function played(stage, delivery) {
  const closed = await stage.closedWorkflow(`ingress-event-${delivery}`);
  const { rows } = await stage.database.query('select session_id from trigger_dispatches where delivery_id = $1', [
    delivery,
  ]);
  // Nobody has the repository.
  await stage.until(rows[0].session_id, 'failed');
  await stage.closed(rows[0].session_id);
  return closed;
}

/** Each plays one path of the workflow that starts the runs of an event. */
export const eventPaths = {
  'event-started': async (stage) => played(stage, await storeWebhook(stage, randomUUID())),
  'event-waited': async (stage) => {
    const subscription = randomUUID();
    const key = `subscription:${subscription}`;
    // Whoever starts a run of the trigger gives up waiting for its lock.
    await stage.database.query('select pg_advisory_lock(hashtextextended($1, 0))', [key]);
    const delivery = await storeWebhook(stage, subscription);
    try {
      await stage.wait('an attempt that has to be made again', async () => {
        try {
          const { events } = await stage.client.workflow.getHandle(`ingress-event-${delivery}`).fetchHistory();
          return (
            events.some(({ timerStartedEventAttributes: timer }) => timer !== null && timer !== undefined) || undefined
          );
        } catch (error) {
          if (error.code !== NOT_FOUND) throw error;
          return undefined;
        }
      });
    } finally {
      await stage.database.query('select pg_advisory_unlock(hashtextextended($1, 0))', [key]);
    }
    return played(stage, delivery);
  },
};
