import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SenderParts } from '../../../src/core/deliveries/result-sender.js';
import type { RunStarter } from '../../../src/core/creation/run-starter.js';
import { unattendedStarter } from '../../../src/core/triggers/subscription-runs.js';
import { SandgateError } from '../../../src/domain/errors.js';
import { CodehostError } from '../../../src/platform/codehost/codehost-error.js';
import { connected } from '../../support/connections/connected.js';
import type { CalledBack } from '../../support/deliveries/called-back.js';
import { DeliveryBench } from '../../support/deliveries/delivery-bench.js';
import { deactivate } from '../../support/api/users.js';
import { WebhookReceiver } from '../../support/http/webhook-receiver.js';

type Publish = SenderParts['publish'];

let bench: DeliveryBench;
let receiver: WebhookReceiver;
let publish: Publish;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  bench = await DeliveryBench.start({}, { publish: (publication) => publish(publication) });
});
afterAll(async () => {
  await bench?.api.close();
  await receiver?.close();
});
beforeEach(() => {
  receiver.received.length = 0;
  publish = () => Promise.resolve({ url: 'https://code.example/comment/1', payloadDigest: `sha256:${'0'.repeat(64)}` });
});

/** Why the result is not sent, though its receiver would take it. */
async function problemOf(way: Awaited<ReturnType<DeliveryBench['ended']>>): Promise<string | null | undefined> {
  await bench.attempt(way);
  const [delivery] = await bench.deliveries(way.runId);
  expect(delivery).toMatchObject({ attempts: 1, payload_digest: null });
  return delivery?.last_error;
}

describe('before an attempt at a callback', () => {
  const starters: Record<string, (subscription: CalledBack) => RunStarter> = {
    trigger: ({ tokenId }) => unattendedStarter('trigger', tokenId, bench.api.organizationId),
    schedule: ({ id }) => unattendedStarter('schedule', id, bench.api.organizationId),
    webhook: ({ id }) => unattendedStarter('webhook', id, bench.api.organizationId),
  };

  it.each(Object.keys(starters))('CP-296 what a %s started goes out while it is enabled, not after', async (kind) => {
    const subscription = await bench.subscribe(receiver.url);
    const starter = starters[kind]!(subscription);
    await bench.attempt(await bench.ended(subscription, { starter }));
    expect(receiver.received).toHaveLength(1);
    const late = await bench.ended(subscription, { starter });
    await bench.own('update trigger_subscriptions set enabled = false where id = $1', [subscription.id]);
    expect(await problemOf(late)).toMatch(/was revoked or disabled/);
    expect(receiver.received).toHaveLength(1);
    await bench.own('update trigger_subscriptions set enabled = true where id = $1', [subscription.id]);
    await bench.attempt(late, 2);
    expect(receiver.received).toHaveLength(2);
  });

  it.each(['revoked_at', 'expires_at'])('CP-296 the token that asked for the run must live (%s)', async (column) => {
    const subscription = await bench.subscribe(receiver.url);
    const way = await bench.ended(subscription);
    await bench.own(`update api_tokens set ${column} = clock_timestamp() where id = $1`, [subscription.tokenId]);
    expect(await problemOf(way)).toBe('the trigger that started this run was revoked or disabled');
    expect(receiver.received).toHaveLength(0);
  });

  it('CP-296 a changed callback gets no result of an older run', async () => {
    const subscription = await bench.subscribe(receiver.url);
    const way = await bench.ended(subscription);
    await bench.own('update trigger_subscriptions set authority_generation = 2 where id = $1', [subscription.id]);
    expect(await problemOf(way)).toMatch(/callback of the trigger was changed/);
    expect(receiver.received).toHaveLength(0);
  });

  it('CP-296 a person who pressed the button must still be a member', async () => {
    const ada = await bench.api.addUser('admin');
    const subscription = await bench.subscribe(receiver.url);
    const viewer = { organizationId: bench.api.organizationId, userId: ada.userId, role: 'admin' as const };
    const starter: RunStarter = { kind: 'user', principalId: ada.userId, viewer };
    const way = await bench.ended(subscription, { starter });
    await deactivate(bench.api.db, ada, 'membership');
    expect(await problemOf(way)).toMatch(/no longer an active member/);
  });

  it.each([
    ['another address', `jsonb_set(destination, '{url}', '"http://127.0.0.1:1/"')`, /made for something else/],
    ['another kind', `jsonb_set(destination, '{kind}', '"codehost_check"')`, /made for something else/],
    ['a further member', `destination || '{"extra": 1}'`, /made for something else/],
    ['no binding', `destination - 'binding_id'`, /no binding of this run/],
    [
      'a binding of nobody',
      `jsonb_set(destination, '{binding_id}', to_jsonb(gen_random_uuid()))`,
      /no binding of this run/,
    ],
  ])('CP-296 a destination that was changed to %s is no destination', async (_what, change, why) => {
    const way = await bench.ended(await bench.subscribe(receiver.url));
    await bench.own(`update result_deliveries set destination = ${change} where id = $1`, [way.deliveryId]);
    expect(await problemOf(way)).toMatch(why);
    expect(receiver.received).toHaveLength(0);
  });

  it('CP-296 the binding of another run, and of another slot, does not serve', async () => {
    const subscription = await bench.subscribe(receiver.url);
    const [mine, other] = [await bench.ended(subscription), await bench.ended(subscription)];
    const lend = (from: string) =>
      bench.own(
        `update result_deliveries set destination = jsonb_set(destination, '{binding_id}', to_jsonb($2::uuid)) where id = $1`,
        [mine.deliveryId, from],
      );
    const [foreign] = await bench.own<{ id: string }>('select id from run_resource_bindings where session_id = $1', [
      other.runId,
    ]);
    await lend(foreign!.id);
    expect(await problemOf(mine)).toBe('the destination has no binding of this run');
    const [slot] = await bench.own<{ id: string }>(
      `insert into run_resource_bindings (id, tenant_id, session_id, requirement_slot, slot_kind, authority_kind, subscription_id,
         authority_generation, resource_scope, resolved_by_principal_kind, resolved_by_principal_id, binding_mode)
       select gen_random_uuid(), tenant_id, session_id, 'workspace', 'workspace_fetch', authority_kind, subscription_id,
         authority_generation, resource_scope, resolved_by_principal_kind, resolved_by_principal_id, binding_mode
       from run_resource_bindings where session_id = $1 returning id`,
      [mine.runId],
    );
    await lend(slot!.id);
    await bench.attempt(mine, 2);
    expect((await bench.deliveries(mine.runId))[0]?.last_error).toBe(
      'the binding of the destination was made for something else',
    );
    expect(receiver.received).toHaveLength(0);
  });

  it('CP-033 CP-296 an address that the deployment refuses by now is not asked, and not named', async () => {
    const way = await bench.ended(await bench.subscribe('https://10.0.0.1/hook'));
    expect(await problemOf(way)).toBe('callback_url rejected: private/loopback/link-local address (private)');
  });

  it('CP-296 a secret that does not open is a failed attempt', async () => {
    const subscription = await bench.subscribe(receiver.url);
    const way = await bench.ended(subscription);
    await bench.own(`update trigger_subscriptions set callback_secret_sealed = '\\x0200000001ff' where id = $1`, [
      subscription.id,
    ]);
    expect(await problemOf(way)).toMatch(/^the callback secret could not be opened: /);
    expect(receiver.received).toHaveLength(0);
  });
});

describe('before an attempt to publish', () => {
  async function comment(): Promise<{ way: Awaited<ReturnType<DeliveryBench['ended']>>; connectionId: string }> {
    const connectionId = await connected(bench.api.db, bench.api.organizationId, { provider: 'codehost' });
    const subscription = await bench.subscribe(receiver.url);
    const destination = {
      kind: 'codehost_pr_comment' as const,
      connection_id: connectionId,
      repository: 'o/r',
      pr_number: 7,
    };
    return { way: await bench.ended(subscription, { destinations: [destination] }), connectionId };
  }

  it('CP-133 what was published is told by its address', async () => {
    const { way, connectionId } = await comment();
    const asked: Parameters<Publish>[0][] = [];
    const answer = publish;
    publish = (publication) => {
      asked.push(publication);
      return answer(publication);
    };
    expect(await bench.attempt(way)).toEqual({ attempt: 1, waitMs: null });
    expect(asked).toMatchObject([
      {
        organizationId: bench.api.organizationId,
        destination: { kind: 'codehost_pr_comment', connection_id: connectionId, repository: 'o/r', pr_number: 7 },
        generation: 1,
        run: { id: way.runId, status: 'completed', agent_name: 'fixer' },
        subscription: { id: expect.any(String), name: expect.stringMatching(/^subscription /) },
      },
    ]);
    expect(await bench.callbackEvents(way.runId)).toMatchObject([
      { type: 'callback.delivered', data: { url: 'https://code.example/comment/1', attempt: 1 } },
    ]);
    expect(receiver.received).toHaveLength(0);
  });

  it.each([
    ['revoked', `status = 'revoked'`, /is revoked/],
    ['suspended', `status = 'suspended'`, /is suspended/],
  ])('CP-296 a connection that was %s publishes nothing', async (_what, change, why) => {
    const { way, connectionId } = await comment();
    publish = () => Promise.reject(new Error('asked in spite of the recheck'));
    await bench.own(`update integration_connections set ${change} where id = $1`, [connectionId]);
    expect(await problemOf(way)).toMatch(why);
  });

  it.each([
    ['the code host', new CodehostError(502, 'the code host answered 502')],
    ['ourselves', new SandgateError('conflict', 'the app registration of the connection is not active')],
  ])('CP-297 a refusal by %s is a failed attempt, which names kind and repository at its end', async (_who, error) => {
    const { way } = await comment();
    publish = () => Promise.reject(error);
    expect(await problemOf(way)).toBe(error.message);
    for (const attempt of [2, 3, 4, 5, 6]) await bench.attempt(way, attempt);
    expect(await bench.callbackEvents(way.runId)).toMatchObject([
      { type: 'callback.failed', data: { url: 'codehost_pr_comment:o/r', attempts: 6, error: error.message } },
    ]);
  });

  it('CP-296 a defect of ours is no answer of the code host: the attempt is not counted', async () => {
    const { way } = await comment();
    publish = () => Promise.reject(new TypeError('a defect'));
    await expect(bench.attempt(way)).rejects.toThrow('a defect');
    expect((await bench.deliveries(way.runId))[0]).toMatchObject({ attempts: 0, status: 'pending', last_error: null });
  });
});
