import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { DeliveryEntity } from '../../../src/core/deliveries/delivery.entity.js';
import { CLOCK, insertRows } from '../../../src/platform/postgres/write-rows.js';
import { ManagedTriggers } from '../../support/triggers/managed-triggers.js';

let bench: ManagedTriggers;
beforeAll(async () => {
  bench = await ManagedTriggers.start();
});
afterAll(() => bench.api.close());

/** The trigger's row of the delivery of a run's result. */
async function deliver(subscriptionId: string, sessionId: string, index: number): Promise<void> {
  const { db, organizationId } = bench.api;
  await db.withTenant(organizationId, (tx) =>
    insertRows(tx, DeliveryEntity, [
      {
        id: uuidv7(),
        tenant_id: organizationId,
        session_id: sessionId,
        subscription_id: subscriptionId,
        destination_index: index,
        next_attempt_at: CLOCK,
        destination: { kind: 'signed_webhook', url: `https://ci.example.com/${index}` },
      },
    ]),
  );
}

describe('reading a trigger', () => {
  it('CP-233 shows its newest runs, deliveries and invocations, and nothing of others', async () => {
    const { id, token } = await bench.create();
    const other = await bench.create();
    const runs: string[] = [];
    for (let count = 0; count < 32; count += 1) {
      const { body } = await bench.api.post(`/v1/triggers/${id}/invoke`, {}, { token });
      runs.unshift(body.session.id);
    }
    await bench.api.post(`/v1/triggers/${other.id}/invoke`, {}, { token: other.token });
    for (let index = 0; index < 22; index += 1) await deliver(id, runs[0] ?? '', index);
    const read = await bench.read(id);
    expect(read.sessions.map((run) => run.id)).toEqual(runs.slice(0, 20));
    expect(read.invocations.map(({ session_id }) => session_id)).toEqual(runs.slice(0, 30));
    expect(read.invocations[0]).toEqual({
      id: expect.any(String),
      subscription_id: id,
      idempotency_key: expect.stringMatching(/^auto-/),
      session_id: runs[0],
      skip_reason: null,
      created_at: expect.any(String),
    });
    expect(read.deliveries).toHaveLength(20);
    expect(read.deliveries[0]).toMatchObject({
      subscription_id: id,
      status: 'pending',
      destination: { kind: 'signed_webhook', url: 'https://ci.example.com/21' },
    });
    expect(await bench.read(other.id)).toMatchObject({ deliveries: [], sessions: { length: 1 } });
  });

  it('CP-020 a trigger that pins a revision runs it however many follow; another runs the latest', async () => {
    const { api } = bench;
    const revisions = async () => (await api.get('/v1/agents/bee')).body.revisions;
    const [first] = await revisions();
    const pinned = await bench.create({ pinned_revision_id: first?.id });
    const floating = await bench.create();
    await api.post('/v1/agents/bee/revisions', { system_prompt: 'another' });
    const [latest] = await revisions();
    expect(latest?.rev).toBe((first?.rev ?? 0) + 1);
    const run = async ({ id, token }: { id: string; token: string }) =>
      (await api.post(`/v1/triggers/${id}/invoke`, {}, { token })).body.session.agent_revision_id;
    expect(await run(pinned)).toBe(first?.id);
    expect(await run(floating)).toBe(latest?.id);
    expect((await api.post(`/v1/triggers/${pinned.id}/run-now`)).body.session.agent_revision_id).toBe(first?.id);
  });
});
