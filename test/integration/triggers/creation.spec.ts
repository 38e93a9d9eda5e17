import { createHash, hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { FiringTimes } from '../../../src/domain/triggers/cron/firing-times.js';
import { ManagedTriggers } from '../../support/triggers/managed-triggers.js';

let bench: ManagedTriggers;
beforeAll(async () => {
  bench = await ManagedTriggers.start();
});
afterAll(() => bench.api.close());

const PULL_REQUEST = 'Review {{repository}}#{{pr_number}}';

describe('a new trigger', () => {
  it('CP-102 CP-103 CP-111 CP-113 CP-115 CP-231 is answered bare, with defaults for what is left out', async () => {
    const body = {
      agent: 'bee',
      name: '  nightly  ',
      task_template: 'Do {{what}}',
      concurrency_policy: 'skip_if_running',
    };
    const { token, ...created } = await bench.create(body);
    const { agents } = (await bench.api.get('/v1/agents')).body;
    const base = created.base_url;
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      tenant_id: bench.api.organizationId,
      agent: 'bee',
      agent_id: agents.find(({ name }) => name === 'bee')?.id,
      name: 'nightly',
      trigger_kind: 'api',
      enabled: true,
      pinned_revision_id: null,
      task_template: 'Do {{what}}',
      allow_task_override: false,
      allow_workspace_override: false,
      autonomous: false,
      allow_unpriced: false,
      concurrency_policy: 'skip_if_running',
      budgets: null,
      workspace: null,
      callback_url: null,
      connection: null,
      repositories: null,
      events: null,
      publish: null,
      capabilities: null,
      schedule: null,
      next_fire_at: null,
      last_fired_at: null,
      authority_generation: 1,
      created_at: expect.stringMatching(/Z$/),
      updated_at: created.created_at,
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/),
      invoke_url: `${base}/v1/triggers/${created.id}/invoke`,
      poll_url_template: `${base}/v1/triggers/${created.id}/runs/{session_id}`,
      ingress_url: null,
      ingress_path: null,
      next_firings: [],
      callback_secret: null,
      callback_secret_standard: null,
    });
    expect(token).toMatch(/^svc_trig_[0-9a-f]{64}$/);
  });

  it('CP-231 its token is stored as a digest alone, and neither reading nor listing shows a secret again', async () => {
    const { id, token, callback_secret: secret } = await bench.create({ callback_url: 'https://ci.example.com/done' });
    const { rows } = await bench.api.database.owner.query('select * from api_tokens where subscription_id = $1', [id]);
    expect(rows).toMatchObject([{ kind: 'trigger', token_sha256: hash('sha256', token, 'hex'), revoked_at: null }]);
    const texts = [
      JSON.stringify(rows),
      (await bench.api.get(`/v1/triggers/${id}`)).text,
      (await bench.api.get('/v1/triggers')).text,
      (await bench.api.post(`/v1/triggers/${id}/disable`)).text,
      (await bench.api.post(`/v1/triggers/${id}/enable`)).text,
      JSON.stringify(await bench.change(id, { name: `renamed ${id}` })),
    ];
    for (const text of texts) for (const shown of [token, secret ?? '']) expect(text).not.toContain(shown);
  });

  it('CP-104 its callback has a secret in two forms, sealed at rest', async () => {
    const created = await bench.create({ callback_url: 'https://ci.example.com/done' });
    const { callback_secret: secret, callback_secret_standard: standard } = created;
    expect(created.callback_url).toBe('https://ci.example.com/done');
    expect(secret).toMatch(/^svc_whsec_[0-9a-f]{64}$/);
    expect(Buffer.from(standard?.slice('whsec_'.length) ?? '', 'base64').toString()).toBe(secret);
    const { rows } = await bench.api.database.owner.query<{ callback_secret_sealed: Buffer }>(
      'select callback_secret_sealed from trigger_subscriptions where id = $1',
      [created.id],
    );
    const sealed = rows[0]?.callback_secret_sealed ?? Buffer.alloc(0);
    expect(sealed.length).toBeGreaterThan(64);
    expect(sealed.includes(secret ?? '')).toBe(false);
  });

  it('CP-105 CP-112 CP-113 says everything that its runs may differ in', async () => {
    const members = {
      autonomous: true,
      allow_unpriced: true,
      allow_task_override: true,
      allow_workspace_override: true,
      capabilities: [],
      budgets: { max_cost_usd: 0.5 },
      task_template: '  ',
    };
    const expected = {
      ...members,
      task_template: null,
      budgets: { max_cost_usd: 0.5, max_tokens: null, max_tool_calls: null, max_wall_clock_secs: null },
    };
    expect(await bench.create(members)).toMatchObject(expected);
    expect(await bench.create({ workspace: { kind: 'scratch' }, budgets: {} })).toMatchObject({
      workspace: null,
      budgets: null,
    });
    const workspace = { kind: 'git_repository', repository: 'acme/app', ref: 'main' };
    expect((await bench.create({ workspace })).workspace).toEqual({
      ...workspace,
      clone_url: 'https://github.com/acme/app.git',
      checkout_mode: 'writable_copy',
    });
  });

  it('CP-106 CP-107 CP-116 with a schedule fires by the clock of its zone; the clock is part of it', async () => {
    const created = await bench.create({
      task_template: 'It is {{fire_time}}',
      schedule: { cron: ' 30 2 * * 1-5 ', timezone: 'America/New_York' },
    });
    const next = new FiringTimes('30 2 * * 1-5', 'America/New_York').upcoming(new Date(created.created_at), 5);
    expect(created).toMatchObject({ trigger_kind: 'schedule', next_firings: next.map((at) => at.toISOString()) });
    expect(created.schedule).toEqual({
      id: expect.any(String),
      subscription_id: created.id,
      cron: '30 2 * * 1-5',
      timezone: 'America/New_York',
      missed_run_policy: 'skip',
      next_fire_at: created.next_firings[0],
      last_fired_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(created.next_fire_at).toBe(created.next_firings[0]);
    expect((await bench.create({ schedule: { cron: '0 0 1 1 *' } })).schedule?.timezone).toBe('UTC');
  });

  it('CP-108 CP-109 CP-110 with a connection listens to its events', async () => {
    const connection = await bench.connection();
    const created = await bench.create({ connection, task_template: PULL_REQUEST });
    expect(created).toMatchObject({
      trigger_kind: 'event',
      connection,
      repositories: [],
      events: ['pull_request.opened', 'pull_request.reopened'],
      publish: ['pr_comment'],
      ingress_path: `/v1/ingress/codehost/${connection}`,
      ingress_url: `${created.base_url}/v1/ingress/codehost/${connection}`,
    });
    const narrow = { repositories: ['acme/app'], events: ['synchronize', 'pull_request.opened'], publish: [] };
    expect(await bench.create({ connection, task_template: PULL_REQUEST, ...narrow })).toMatchObject({
      repositories: ['acme/app'],
      events: ['pull_request.synchronize', 'pull_request.opened'],
      publish: [],
    });
  });

  it('CP-108 of an installation is told where its app receives webhooks', async () => {
    const registration = uuidv7();
    await bench.api.database.owner.query(
      `insert into github_app_registrations (id, tenant_id, status, target_kind, app_id, slug, pem_sealed, webhook_secret_sealed)
         values ($1, $2, 'active', 'personal', '7', 'bees', '\\x00', '\\x00')`,
      [registration, bench.api.organizationId],
    );
    const connection = await bench.connection({ registration_id: registration, webhookSecret: null });
    expect(await bench.create({ connection, task_template: PULL_REQUEST })).toMatchObject({
      ingress_path: `/v1/ingress/codehost/app/${registration}`,
    });
  });
});

/** A digest is not a token. */
it('CP-231 the digest of a token opens nothing', async () => {
  const { id, token } = await bench.create();
  const digest = `svc_trig_${createHash('sha256').update(token).digest('hex')}`;
  expect((await bench.api.post(`/v1/triggers/${id}/invoke`, {}, { token: digest })).status).toBe(401);
});
