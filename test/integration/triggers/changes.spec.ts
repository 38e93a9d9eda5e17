import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { FiringTimes } from '../../../src/domain/triggers/cron/firing-times.js';
import type { ScheduleRef } from '../../../src/core/triggers/schedule-firings.js';
import { ManagedTriggers, SEALING, type RotatedToken } from '../../support/triggers/managed-triggers.js';

let bench: ManagedTriggers;
/** Triggers whose clocks the driver was told of. */
const told: string[] = [];
beforeAll(async () => {
  const sync = ({ subscriptionId }: ScheduleRef): Promise<void> => Promise.resolve(void told.push(subscriptionId));
  bench = await ManagedTriggers.start(SEALING, { sync });
});
afterAll(() => bench.api.close());

const CALLBACK = 'https://ci.example.com/done';
const NIGHTLY = { cron: '0 3 * * *', timezone: 'Europe/Berlin' };

/** The schedule's next firing is set back, as if its time had passed. */
async function setNextFiring(id: string, at: string): Promise<void> {
  await bench.api.database.owner.query('update schedules set next_fire_at = $2 where subscription_id = $1', [id, at]);
}

describe('changing a trigger', () => {
  it('CP-102 CP-103 CP-111 CP-113 changes what is named and nothing else', async () => {
    const before = await bench.create({ callback_url: CALLBACK, autonomous: true });
    const changes = {
      name: `  renamed ${before.id} `,
      task_template: 'Do {{what}}',
      allow_task_override: true,
      allow_workspace_override: true,
      concurrency_policy: 'replace',
    };
    const after = await bench.change(before.id, changes);
    const { token, callback_secret, callback_secret_standard, ingress_path, ...stays } = before;
    expect([token, callback_secret, callback_secret_standard, ingress_path].filter(Boolean)).toHaveLength(3);
    expect(after).toEqual({
      ...stays,
      ...changes,
      name: `renamed ${before.id}`,
      updated_at: expect.not.stringMatching(before.updated_at),
    });
  });

  it.each([{}, { schedule: {} }, { name: null, schedule: { cron: null } }])(
    'CP-102 %j changes nothing, not even when it was changed last',
    async (changes) => {
      const { id } = await bench.create({ schedule: NIGHTLY });
      const before = await bench.read(id);
      await bench.change(id, changes);
      expect(await bench.read(id)).toEqual(before);
    },
  );

  it('CP-103 a template is removed by an empty one where an invocation may bring the task', async () => {
    const { id } = await bench.create({ allow_task_override: true });
    expect((await bench.change(id, { task_template: '' })).task_template).toBeNull();
    expect((await bench.patch(id, { allow_task_override: false })).status).toBe(400);
    expect((await bench.read(id)).allow_task_override).toBe(true);
  });

  it('CP-104 a callback gets a new secret and a new authority each time that it is named; an empty one is removed', async () => {
    const { id, callback_secret: first } = await bench.create({ callback_url: CALLBACK });
    const again = await bench.change(id, { callback_url: CALLBACK });
    expect(again).toMatchObject({ callback_url: CALLBACK, authority_generation: 2 });
    expect(again.callback_secret).toMatch(/^svc_whsec_[0-9a-f]{64}$/);
    expect(again.callback_secret).not.toBe(first);
    expect(again.callback_secret_standard).toMatch(/^whsec_/);
    const removed = await bench.change(id, { callback_url: '' });
    expect(removed).toMatchObject({ callback_url: null, authority_generation: 3 });
    expect(removed).not.toHaveProperty('callback_secret');
    expect((await bench.change(id, { callback_url: '' })).authority_generation).toBe(3);
    expect((await bench.change(id, { name: `other ${id}` })).authority_generation).toBe(3);
    const { rows } = await bench.api.database.owner.query(
      'select callback_secret_sealed from trigger_subscriptions where id = $1',
      [id],
    );
    expect(rows).toEqual([{ callback_secret_sealed: null }]);
  });

  it('CP-106 CP-107 another time recomputes the next firing; what is done about missed ones alone does not', async () => {
    const { id } = await bench.create({ schedule: NIGHTLY });
    const missed = '2026-01-01T02:00:00.000Z';
    await setNextFiring(id, missed);
    const kept = await bench.change(id, { schedule: { missed_run_policy: 'catch_up' } });
    expect(kept.schedule).toMatchObject({ ...NIGHTLY, missed_run_policy: 'catch_up', next_fire_at: missed });
    expect((await bench.change(id, { name: `n ${id}`, schedule: NIGHTLY })).next_fire_at).toBe(missed);
    const moved = await bench.change(id, { schedule: { timezone: 'Asia/Tokyo' } });
    const next = new FiringTimes(NIGHTLY.cron, 'Asia/Tokyo').next(new Date());
    expect(moved).toMatchObject({ next_fire_at: next?.toISOString(), next_firings: { 0: next?.toISOString() } });
    expect(moved.schedule).toMatchObject({ cron: NIGHTLY.cron, missed_run_policy: 'catch_up' });
    const hourly = await bench.change(id, { schedule: { cron: ' 0 * * * * ' } });
    expect(hourly.schedule).toMatchObject({ cron: '0 * * * *', timezone: 'Asia/Tokyo' });
    expect(hourly.updated_at > moved.updated_at).toBe(true);
  });

  it.each([
    ['a blank name', { name: ' ' }, 'name'],
    ['a schedule that never fires', { schedule: { cron: '0 0 30 2 *' } }, 'never fires again'],
    ['an unknown zone', { schedule: { timezone: 'nowhere' } }, 'schedule.timezone'],
    ['a template that a clock cannot fill', { task_template: '{{who}}' }, '{{who}}'],
    ['no template', { task_template: '' }, 'task_template'],
    ['an unknown policy', { concurrency_policy: 'queue' }, 'concurrency_policy'],
    ['a callback inside', { callback_url: 'https://10.0.0.1/' }, 'callback_url rejected'],
    ['its agent', { agent: 'bee' }, 'agent: is not a member'],
    ['its kind', { trigger_kind: 'api' }, 'trigger_kind: is not a member'],
    ['whether it is enabled', { enabled: false }, 'enabled: is not a member'],
    ['its connection', { connection: uuidv7() }, 'connection: is not a member'],
    ['its budgets', { budgets: {} }, 'budgets: is not a member'],
    ['its workspace', { workspace: { kind: 'scratch' } }, 'workspace: is not a member'],
  ])('CP-232 is refused with 400 for %s, and leaves it as it was', async (_what, changes, reason) => {
    const { id } = await bench.create({ schedule: NIGHTLY });
    const before = await bench.read(id);
    const { status, body } = await bench.patch(id, changes);
    expect([status, body.error]).toEqual([400, expect.stringContaining(reason)]);
    expect(await bench.read(id)).toEqual(before);
  });

  it('CP-115 CP-116 a trigger without a clock never gets one', async () => {
    const { id } = await bench.create();
    for (const schedule of [{}, NIGHTLY]) {
      const { status, body } = await bench.patch(id, { schedule });
      expect([status, body.error]).toEqual([400, expect.stringContaining('schedule: this trigger has no clock')]);
    }
  });

  it('CP-232 checks the whole state that would result, its connection included', async () => {
    const connection = await bench.connection();
    const { id } = await bench.create({ connection, task_template: 'Review {{repository}}' });
    expect((await bench.change(id, { task_template: 'Look at {{pr_url}}' })).task_template).toBe('Look at {{pr_url}}');
    await bench.api.database.owner.query(`update integration_connections set status = 'revoked' where id = $1`, [
      connection,
    ]);
    const { status, body } = await bench.patch(id, { task_template: 'Look again' });
    expect([status, body.error]).toEqual([400, expect.stringContaining('connection: hub is revoked')]);
  });

  it('CP-105 CP-232 so an autonomous one cannot be changed once its policy permits none', async () => {
    const { id } = await bench.create({ autonomous: true });
    await bench.api.post('/v1/agents/bee/revisions', { policy: 'governed' });
    try {
      const { status, body } = await bench.patch(id, { name: `autonomous ${id}` });
      expect([status, body.error]).toEqual([400, expect.stringContaining('autonomous: the policy')]);
    } finally {
      await bench.api.post('/v1/agents/bee/revisions', { policy: 'standard' });
    }
    expect((await bench.change(id, { name: `autonomous ${id}` })).autonomous).toBe(true);
  });

  it('CP-232 a taken name is 409, an unknown trigger 404', async () => {
    const { name } = await bench.create();
    const { id } = await bench.create();
    expect((await bench.patch(id, { name })).status).toBe(409);
    expect((await bench.patch(uuidv7(), { name: 'x' })).status).toBe(404);
    expect((await bench.patch('nothing', { name: 'x' })).status).toBe(404);
  });

  it('CP-232 of many changes at once each is whole or refused with 409', async () => {
    const { id } = await bench.create({ callback_url: CALLBACK });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        bench.patch(id, { name: `${at} of ${id}`, callback_url: `${CALLBACK}/${at}` }),
      ),
    );
    const [accepted, others] = [
      answers.filter(({ status }) => status === 200),
      answers.filter(({ status }) => status !== 200),
    ];
    expect(accepted.length).toBeGreaterThan(0);
    expect([...new Set(others.map(({ status }) => status))].filter((status) => status !== 409)).toEqual([]);
    const { name, callback_url, authority_generation } = await bench.read(id);
    expect(authority_generation).toBe(1 + accepted.length);
    expect(callback_url?.split('/').at(-1)).toBe(name.split(' ')[0]);
  });
});

describe('switching a trigger off and on', () => {
  it('CP-163 CP-240 CP-241 answers the bare trigger, again and again, and leaves its clock alone', async () => {
    const { id, ...created } = await bench.create({ schedule: NIGHTLY });
    const missed = '2026-01-01T02:00:00.000Z';
    await setNextFiring(id, missed);
    const off = await bench.api.post(`/v1/triggers/${id}/disable`);
    expect(off.body).toMatchObject({ id, name: created.name, enabled: false, next_fire_at: missed });
    expect(off.body).not.toHaveProperty('subscription');
    expect(off.body).not.toHaveProperty('token');
    expect((await bench.api.post(`/v1/triggers/${id}/disable`)).body).toEqual(off.body);
    expect((await bench.read(id)).next_firings).toEqual([]);
    const on = await bench.api.post(`/v1/triggers/${id}/enable`);
    expect(on.body).toMatchObject({ id, enabled: true, next_fire_at: missed });
    expect((await bench.api.post(`/v1/triggers/${id}/enable`)).body).toEqual(on.body);
    expect((await bench.read(id)).next_firings).toHaveLength(5);
  });

  it('CP-116 CP-163 tells what wakes its clock, once its row is committed; a trigger without a clock has nothing to tell', async () => {
    const { id } = await bench.create({ schedule: NIGHTLY });
    await bench.change(id, { schedule: { timezone: 'UTC' } });
    await bench.api.post(`/v1/triggers/${id}/disable`);
    await bench.api.post(`/v1/triggers/${id}/enable`);
    expect(told.filter((one) => one === id)).toHaveLength(4);
    await bench.change(id, {});
    expect(told.filter((one) => one === id)).toHaveLength(4);
    const bare = await bench.create();
    await bench.api.post(`/v1/triggers/${bare.id}/disable`);
    expect(told).not.toContain(bare.id);
  });

  it('CP-240 CP-241 CP-242 CP-233 an unknown trigger is 404', async () => {
    for (const id of [uuidv7(), 'nothing']) {
      for (const verb of ['enable', 'disable', 'rotate_token'])
        expect([verb, (await bench.api.post(`/v1/triggers/${id}/${verb}`)).status]).toEqual([verb, 404]);
      expect((await bench.api.get(`/v1/triggers/${id}`)).status).toBe(404);
    }
  });
});

describe('replacing the token of a trigger', () => {
  const rotate = async (id: string): Promise<RotatedToken> =>
    (await bench.api.post(`/v1/triggers/${id}/rotate_token`)).body as unknown as RotatedToken;
  const invoke = (id: string, token: string) => bench.api.post(`/v1/triggers/${id}/invoke`, {}, { token });

  it('CP-242 CP-246 revokes all and mints one, also while disabled; the new one reads earlier runs', async () => {
    const { id, token, base_url } = await bench.create();
    const { session } = (await invoke(id, token)).body;
    await bench.api.post(`/v1/triggers/${id}/disable`);
    const rotated = await rotate(id);
    expect(rotated).toEqual({
      token: expect.stringMatching(/^svc_trig_[0-9a-f]{64}$/),
      revoked: 1,
      base_url,
      invoke_url: `${base_url}/v1/triggers/${id}/invoke`,
      poll_url_template: `${base_url}/v1/triggers/${id}/runs/{session_id}`,
      ingress_url: null,
    });
    expect((await bench.read(id)).authority_generation).toBe(1);
    const poll = (as: string) => bench.api.get(`/v1/triggers/${id}/runs/${session.id}`, { token: as });
    expect((await poll(token)).status).toBe(401);
    expect((await poll(rotated.token)).body.session.id).toBe(session.id);
    await bench.api.post(`/v1/triggers/${id}/enable`);
    expect((await invoke(id, token)).status).toBe(401);
    expect((await invoke(id, rotated.token)).status).toBe(200);
  });

  it('CP-242 at once by many leaves one that is good', async () => {
    const { id } = await bench.create();
    const rotations = await Promise.all(Array.from({ length: 8 }, () => rotate(id)));
    expect(rotations.map(({ revoked }) => revoked)).toEqual(rotations.map(() => 1));
    const statuses = await Promise.all(rotations.map(async ({ token }) => (await invoke(id, token)).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(7);
  });
});
