import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type Answer, type TestApi, type TestOrganization } from '../../support/api/api.js';

let api: TestApi;
let acme: TestOrganization;
let workspaceId: string;
beforeAll(async () => {
  api = await startApi({ DOCSVC_RATE_REQUESTS_PER_MIN: '100000' });
  acme = await api.organization();
  workspaceId = (await acme.ask<{ id: string }>('/api/workspaces', { method: 'POST', body: { name: 'W' } })).body.id;
});
afterAll(() => api.close());

interface Named {
  id: string;
  name: string;
}
interface List {
  data: Named[];
  nextCursor: string | null;
}

function makeProject(name: string, headers: { [name: string]: string } = {}): Promise<Answer<Named>> {
  return acme.ask<Named>('/api/projects', { method: 'POST', body: { workspaceId, name }, headers });
}

describe('Idempotency-Key', () => {
  it('concurrent equal posts make one, and all get its answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => makeProject('Once', { 'idempotency-key': 'concurrent' })),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(19);
    expect(new Set(answers.map(({ headers }) => headers.get('etag')))).toEqual(new Set(['"1"']));
    const { body } = await acme.ask<List>('/api/projects?name=Once');
    expect(body.data).toHaveLength(1);
    const { rows } = await api.database.owner.query(`select from audit_events where subject_id = $1`, [
      body.data[0]?.id,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('with another body is refused, and a refused request leaves the key free', async () => {
    await makeProject('Keyed', { 'idempotency-key': 'k1' });
    expect(await makeProject('Other', { 'idempotency-key': 'k1' })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    });
    expect(await makeProject('Keyed', { 'idempotency-key': 'k2' })).toMatchObject({ status: 409 });
    expect(await makeProject('Free', { 'idempotency-key': 'k2' })).toMatchObject({ status: 201 });
    expect(await makeProject('Bad', { 'idempotency-key': 'a b' })).toMatchObject({ status: 400 });
  });

  it('belongs to one credential', async () => {
    const { token } = await acme.client(['projects:write']);
    const first = await makeProject('Mine', { 'idempotency-key': 'shared' });
    const theirs = await api.ask<Named>('/api/projects', {
      method: 'POST',
      token,
      body: { workspaceId, name: 'Theirs' },
      headers: { 'idempotency-key': 'shared' },
    });
    expect([first.status, theirs.status]).toEqual([201, 201]);
  });

  it('of a request that died before it changed anything can be used again, and of one that died behind its change cannot', async () => {
    const body = { workspaceId, name: 'Died' };
    const made = await acme.ask<Named>('/api/projects', {
      method: 'POST',
      body,
      headers: { 'idempotency-key': 'died' },
    });
    const die = (committed: boolean): Promise<unknown> =>
      api.database.owner.query(
        `update idempotency_keys set status = null, sealed_answer = null, committed = $1, claimed_until = now() where key = 'died'`,
        [committed],
      );
    await die(true);
    const lost = await acme.ask('/api/projects', { method: 'POST', body, headers: { 'idempotency-key': 'died' } });
    expect(lost).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('was carried out') } },
    });
    await api.database.owner.query('delete from projects where id = $1', [made.body.id]);
    await die(false);
    const again = await acme.ask('/api/projects', { method: 'POST', body, headers: { 'idempotency-key': 'died' } });
    expect(again.status).toBe(201);
  });

  it('keeps secrets that are shown once sealed', async () => {
    const body = { name: 'Sealed', scopes: ['search:read'] };
    const make = () =>
      acme.ask<{ clientSecret: string }>('/api/clients', {
        method: 'POST',
        body,
        headers: { 'idempotency-key': 'sealed' },
      });
    const [first, second] = [await make(), await make()];
    expect(second.body.clientSecret).toBe(first.body.clientSecret);
    const { rows } = await api.database.owner.query<{ answer: Buffer }>(
      `select sealed_answer as answer from idempotency_keys where key = 'sealed'`,
    );
    expect(rows[0]?.answer.toString('latin1')).not.toContain('docsvc_cs_');
  });
});

describe('changes', () => {
  it('with an If-Match that is not the ETag any more are refused, and lost by nobody', async () => {
    const { body, headers } = await makeProject('Tagged');
    const change = (name: string, tag: string): Promise<Answer> =>
      acme.ask(`/api/projects/${body.id}`, { method: 'PATCH', body: { name }, headers: { 'if-match': tag } });
    const etag = String(headers.get('etag'));
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, at) => change(`Tagged ${at}`, etag)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    expect(outcomes.find(({ status }) => status === 409)).toMatchObject({
      body: { error: { code: 'version_conflict' } },
    });
    const now = await acme.ask(`/api/projects/${body.id}`);
    expect(now.headers.get('etag')).toBe('"2"');
    expect((await change('By anyone', '*')).status).toBe(200);
    expect((await change('By nobody', '"x"')).status).toBe(409);
  });

  it('DI-003 a workspace with a project is not deleted, and an archived project frees its name', async () => {
    const workspace = await acme.ask<Named>('/api/workspaces', { method: 'POST', body: { name: 'Full' } });
    const path = `/api/workspaces/${workspace.body.id}`;
    const body = { workspaceId: workspace.body.id, name: 'In it' };
    const project = await acme.ask<Named>('/api/projects', { method: 'POST', body });
    expect(await acme.ask('/api/projects', { method: 'POST', body })).toMatchObject({ status: 409 });
    expect(await acme.ask(path, { method: 'DELETE' })).toMatchObject({ status: 409 });
    expect((await acme.ask(`/api/projects/${project.body.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await acme.ask(`/api/projects/${project.body.id}`)).body['archivedAt']).not.toBeNull();
    expect((await acme.ask('/api/projects', { method: 'POST', body })).status).toBe(201);
    const empty = await acme.ask<Named>('/api/workspaces', { method: 'POST', body: { name: 'Full' } });
    expect(empty.body).toMatchObject({ slug: 'full-2' });
    expect((await acme.ask(`/api/workspaces/${empty.body.id}`, { method: 'DELETE' })).status).toBe(204);
  });

  it('settings are held to their rules, and accurate OCR says that a later release brings it', async () => {
    const { body } = await makeProject('Settings');
    const change = (settings: object): Promise<Answer> =>
      acme.ask(`/api/projects/${body.id}`, { method: 'PATCH', body: { settings } });
    expect(await change({ ocrMode: 'accurate' })).toMatchObject({
      status: 501,
      body: { error: { code: 'not_implemented' } },
    });
    expect(await change({ ocrLanguages: ['../x'] })).toMatchObject({ status: 400 });
    expect(await change({ locale: 'de-CH', retentionDays: 30 })).toMatchObject({
      status: 200,
      body: { settings: { locale: 'de-CH', retentionDays: 30, ocrMode: 'auto', ocrLanguages: ['eng'] } },
    });
  });

  it('are on the audit with who made them, and nothing of another organization is', async () => {
    await makeProject('Audited');
    const { body } = await acme.ask<{ data: { action: string; actor: { name: string } }[] }>(
      '/api/audit?action=project.created&limit=1',
    );
    expect(body.data).toMatchObject([{ action: 'project.created', actor: { kind: 'client', name: 'Administrator' } }]);
    const other = await api.organization('Elsewhere');
    const theirs = await other.ask<{ data: { action: string }[] }>('/api/audit');
    expect(theirs.body.data.map(({ action }) => action)).toEqual(['token.issued']);
  });
});
