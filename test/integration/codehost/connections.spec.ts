import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { canReceiveEvents } from '../../../src/core/connections/can-receive-events.js';
import { AppsBench } from '../../support/codehost/apps-bench.js';
import { as, TOKEN } from '../../support/codehost/codehost-bench.js';

let apps: AppsBench;
beforeAll(async () => {
  apps = await AppsBench.start({ SERVICE_PUBLIC_URL: 'https://sandgate.example.com' });
});
afterEach(() => apps.bench.reset());
afterAll(() => apps?.close());

describe('a token of the code host with a webhook secret', () => {
  const create = (more: object) => apps.bench.create({ provider: 'codehost', token: TOKEN, ...more });

  it('CP-117 receives events at a path that the answer names; the secret rests sealed', async () => {
    const answer = await create({ webhook_secret: ' canary-of-16-chars ' });
    const { id } = answer.body;
    expect([answer.status, (answer.body as { ingress_path?: string }).ingress_path]).toEqual([
      200,
      `/v1/ingress/codehost/${id}`,
    ]);
    expect(answer.text).not.toContain('canary');
    const { organizationId, db } = apps.bench.api;
    const can = (connection: string) => db.withTenant(organizationId, (tx) => canReceiveEvents(tx, connection));
    const plain = await create({});
    expect((plain.body as { ingress_path?: string }).ingress_path).toBeUndefined();
    expect([
      await can(id),
      await can(plain.body.id),
      await can(await apps.bench.insertMcp()),
      await can(uuidv7()),
    ]).toEqual([true, false, false, false]);
  });

  it.each([
    ['fifteen characters', { webhook_secret: 'canary-15-chars' }, 'webhook_secret: must have 16 to 256 characters'],
    ['257 characters', { webhook_secret: 'c'.repeat(257) }, 'webhook_secret: must have 16 to 256 characters'],
    ['blanks', { webhook_secret: ' '.repeat(20) }, 'webhook_secret: is required and must not be empty'],
    ['a number', { webhook_secret: 5 }, 'webhook_secret: must be a string'],
    [
      'a person as owner',
      { webhook_secret: 'canary-of-16-chars', owner: 'personal' },
      'webhook_secret: only a connection of the organization receives events',
    ],
  ])('%s: refused, and nothing of it remains', async (_what, more, reason) => {
    const before = await apps.bench.count();
    const answer = await create(more);
    expect([answer.status, answer.body.error]).toEqual([400, reason]);
    expect(await apps.bench.count()).toBe(before);
  });
});

describe('branches for a picker', () => {
  it('are listed by a token and by an installation, page by page', async () => {
    const app = await apps.register();
    await apps.install(app, '3001');
    const [installed] = await apps.connections('3001');
    const byToken = await apps.bench.create({ provider: 'codehost', token: TOKEN });
    for (const id of [installed?.id, byToken.body.id]) {
      const answer = await apps.bench.api.get(`/v1/connections/${id}/refs?repository=acme/x&page=2&per_page=200`);
      expect([answer.status, answer.body]).toEqual([
        200,
        { refs: [{ name: 'branch-2-of-100', commit_sha: 'ab'.repeat(20), protected: true }] },
      ]);
    }
  });

  it('are refused for other connections, before a credential is opened, and for what names no repository', async () => {
    const mcp = await apps.bench.insertMcp();
    const { id } = (await apps.bench.create({ provider: 'codehost', token: TOKEN })).body;
    const asked = apps.bench.host.requests.length;
    const refs = async (connection: string, query: string) => {
      const { status, body } = await apps.bench.api.get(`/v1/connections/${connection}/refs${query}`);
      return [status, body.error];
    };
    const x = '?repository=acme/x';
    expect(await refs(mcp, x)).toEqual([400, expect.stringContaining('does not belong to a code host')]);
    expect(await refs(uuidv7(), x)).toEqual([404, 'no such connection']);
    for (const repository of ['', 'acme', 'acme/x/y', '../x', 'acme/..', 'acme/x?y', 'a b/c'])
      expect(await refs(id, `?repository=${encodeURIComponent(repository)}`)).toEqual([
        400,
        expect.stringMatching(/^repository: is required and must be owner\/name/),
      ]);
    expect(await refs(id, '')).toEqual([400, expect.stringMatching(/^repository: /)]);
    expect(await refs(id, `${x}&page=0`)).toEqual([400, expect.stringMatching(/^page: /)]);
    expect(apps.bench.host.requests).toHaveLength(asked);
    expect(await refs(id, '?repository=other/x')).toEqual([
      400,
      'the branches could not be listed: the code host answered 404',
    ]);
    await apps.bench.api.post(`/v1/connections/${id}/revoke`, undefined, as(apps.bench.admin));
    expect((await refs(id, x))[0]).toBe(409);
  });
});
