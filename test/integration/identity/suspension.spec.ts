import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { signIn } from '../../support/api/users.js';
import { IngressBench } from '../../support/webhooks/ingress-bench.js';
import { githubPullRequest } from '../../support/webhooks/payloads.js';
import { ScheduleBench } from '../../support/triggers/schedule-bench.js';
import { TriggersBench } from '../../support/triggers/triggers-bench.js';
import type { TestApi } from '../../support/api/api.js';

const SUSPENDED = 'the organization is suspended: it starts no runs until the operator resumes it';
const turn = (api: TestApi, to: 'suspend' | 'resume') => api.post(`/v1/admin/orgs/default/${to}`);

describe('CP-268 a suspended organization', () => {
  let bench: TriggersBench;
  beforeAll(async () => {
    bench = await TriggersBench.start();
  });
  afterEach(() => turn(bench.api, 'resume'));
  afterAll(() => bench.api.close());

  it('admits none of its people, and all of them again when it is resumed', async () => {
    const { api } = bench;
    const owner = await api.addUser('owner');
    const { cookie } = await signIn(api.db, owner);
    const statuses = async () => [
      (await api.get('/v1/agents', owner)).status,
      (await api.get('/v1/agents', { token: null, headers: { cookie } })).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    const { status, body } = await turn(api, 'suspend');
    expect([status, body]).toMatchObject([200, { org: { slug: 'default', status: 'suspended' } }]);
    expect((await turn(api, 'suspend')).status).toBe(200);
    expect(await statuses()).toEqual([401, 401]);
    expect((await turn(api, 'resume')).body).toMatchObject({ org: { status: 'active' } });
    expect(await statuses()).toEqual([200, 200]);
  });

  it('refuses the tokens of its triggers, and every new run with 403', async () => {
    const { api } = bench;
    const of = await bench.subscribe();
    const run = { agent: 'fixer', task: 't', workspace: { kind: 'scratch' } };
    const created = await api.post('/v1/sessions', run);
    expect(created.status).toBe(200);
    await turn(api, 'suspend');
    expect((await bench.invoke(of)).status).toBe(401);
    for (const [path, body] of [
      ['/v1/sessions', run],
      [`/v1/triggers/${of.id}/run-now`, undefined],
    ] as const) {
      const answer = await api.post(path, body);
      expect([path, answer.status, answer.body.error]).toEqual([path, 403, SUSPENDED]);
    }
    expect((await api.get('/v1/sessions')).body.sessions.map(({ id }) => id)).toEqual([created.body.session.id]);
    expect((await api.get(`/v1/sessions/${created.body.session.id}`)).body.session.status).toBe('created');
    await turn(api, 'resume');
    expect((await bench.invoke(of)).status).toBe(200);
  });
});

describe('CP-268 what starts runs by itself in a suspended organization', () => {
  it('a schedule passes its slots over, says why, and goes on when the organization does', async () => {
    const bench = await ScheduleBench.start('2026-11-23T12:30:00Z');
    try {
      const ref = await bench.add({ cron: '0 * * * *' });
      await turn(bench.api, 'suspend');
      bench.at('2026-11-23T13:00:00Z');
      expect(await bench.process().fire(ref)).toEqual({ outcome: 'skipped', reason: 'organization_suspended' });
      await turn(bench.api, 'resume');
      bench.at('2026-11-23T14:00:00Z');
      expect(await bench.process().fire(ref)).toMatchObject({ outcome: 'fired' });
      expect((await bench.slots(ref)).map(({ skipReason }) => skipReason)).toEqual(['organization_suspended', null]);
    } finally {
      await bench.close();
    }
  });

  it('a webhook is kept, and starts nothing, with the reason', async () => {
    const bench = await IngressBench.start();
    try {
      await bench.subscribe();
      await turn(bench.api, 'suspend');
      const delivery = await bench.receive(githubPullRequest({ title: uuidv7() }));
      expect(await bench.dispatches(delivery)).toEqual([
        expect.objectContaining({ status: 'skipped', skip_reason: 'organization_suspended', session_id: null }),
      ]);
    } finally {
      await bench.close();
    }
  });
});
