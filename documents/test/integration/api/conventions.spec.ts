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

describe('failures', () => {
  it('say code, message, request id, whether to try again, and every fault', async () => {
    const answer = await acme.ask('/api/projects', {
      method: 'POST',
      body: { workspaceId: 'x', nam: 'P', settings: 3 },
      headers: { 'x-request-id': 'mine-1' },
    });
    expect(answer.headers.get('x-request-id')).toBe('mine-1');
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', requestId: 'mine-1', retryable: false } },
    });
    const { details } = (answer.body as { error: { details: { path: string; code: string }[] } }).error;
    expect(details.map(({ path, code }) => `${path} ${code}`).sort()).toEqual([
      'nam unknown_member',
      'name invalid',
      'settings invalid',
      'workspaceId invalid',
    ]);
  });

  it('refuse what is not described: members, settings, parameters, and bodies where there is none', async () => {
    const cases = [
      await acme.ask('/api/projects', { method: 'POST', body: { workspaceId, name: 'P', settings: { ocr: true } } }),
      await acme.ask('/api/projects?nam=x'),
      await acme.ask(`/api/clients/${acme.clientRowId}/rotate`, { method: 'POST', body: { now: true } }),
    ];
    expect(cases.map(({ status, body }) => [status, (body as { error: { message: string } }).error.message])).toEqual([
      [400, 'settings.ocr: is not a setting of a project'],
      [400, 'nam: is not a parameter of this request'],
      [400, 'now: is not a member of this request, which has none'],
    ]);
  });

  it('refuse numbers that no column holds, wherever one is asked for', async () => {
    const { ask } = await api.organization('Numbers');
    const post = <B>(path: string, body: object): Promise<Answer<B>> => ask(path, { method: 'POST', body });
    const workspace = await post<Named>('/api/workspaces', { name: 'W' });
    const { body } = await post<Named>('/api/projects', { workspaceId: workspace.body.id, name: 'P' });
    const project = `/api/projects/${body.id}`;
    const added = await post<{ document: Named }>(`${project}/documents`, { name: 'a.txt', contentBase64: 'YQ==' });
    const document = `/api/documents/${added.body.document.id}`;
    const upload = await post<Named>(`${project}/uploads`, { name: 'b.txt', sizeBytes: 20_000_000 });
    const parts = `/api/uploads/${upload.body.id}/parts`;
    for (const number of [Number.MAX_SAFE_INTEGER, 1e21, 1e300]) {
      const answers = [
        await post(`${document}/reprocess`, { version: number }),
        await ask(`${document}/pages?version=${number}`),
        await ask(`${document}/pages/${number}`),
        await ask(`${document}/tables?page=${number}`),
        await ask(`${document}/versions/${number}`),
        await post(`${project}/uploads`, { name: 'c.txt', sizeBytes: number }),
        await post(parts, { partNumbers: [number] }),
      ];
      const statuses = answers.map(({ status }) => status);
      expect({ number, statuses }).toEqual({ number, statuses: [400, 400, 404, 400, 404, 413, 400] });
    }
  });

  it('answer what cannot be read: other types, broken JSON, __proto__, bodies above 1 MiB, NUL, unknown addresses, wrong methods', async () => {
    const post = (body: string, type = 'application/json'): Promise<Answer> =>
      acme.ask('/api/workspaces', { method: 'POST', body, headers: { 'content-type': type } });
    expect(await post('<a/>', 'text/xml')).toMatchObject({
      status: 415,
      body: { error: { code: 'unsupported_type' } },
    });
    expect(await post('name=x', 'application/x-www-form-urlencoded')).toMatchObject({ status: 415 });
    expect(await post('{"name":')).toMatchObject({
      status: 400,
      body: { error: { message: 'body: is not valid JSON' } },
    });
    expect(await post('{"__proto__":{}}')).toMatchObject({ status: 400 });
    expect(await post('[]')).toMatchObject({
      status: 400,
      body: { error: { message: 'body: must be a JSON object' } },
    });
    expect(await post(JSON.stringify({ name: 'x'.repeat(1_048_576) }))).toMatchObject({ status: 413 });
    expect(await post('{"name":"a\\u0000"}')).toMatchObject({ status: 400 });
    expect(await acme.ask('/api/nothing')).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    const wrong = await acme.ask('/api/me', { method: 'DELETE' });
    expect(wrong).toMatchObject({ status: 405, body: { error: { code: 'method_not_allowed' } } });
    expect(wrong.headers.get('allow')).toContain('GET');
  });

  it('say what a later release brings, at every address of it', async () => {
    const addresses = [
      ['POST', '/oauth/device_authorization'],
      ['GET', '/oauth/authorize?client_id=x'],
      ['GET', '/.well-known/oauth-protected-resource/mcp'],
      ['POST', '/mcp'],
    ] as const;
    for (const [method, path] of addresses) {
      const { status, body } = await acme.ask(path, { method, ...(method === 'POST' ? { body: {} } : {}) });
      expect({ path, status, body }).toMatchObject({
        path,
        status: 501,
        body: { error: { code: 'not_implemented', message: expect.stringContaining('later release') } },
      });
    }
    expect((await acme.ask('/mcpandmore')).status).toBe(404);
  });

  it('every answer forbids sniffing and framing', async () => {
    const { headers } = await api.ask('/api/health');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect((await api.ask('/api/health/ready')).status).toBe(200);
  });
});

describe('lists', () => {
  it('DI-039 are newest first, in pages that rows added meanwhile do not move', async () => {
    const names = Array.from({ length: 7 }, (_, at) => `List ${at}`);
    for (const name of names) await makeProject(name);
    const first = await acme.ask<List>('/api/projects?limit=3');
    await makeProject('Late');
    const second = await acme.ask<List>(`/api/projects?limit=3&cursor=${first.body.nextCursor}`);
    const seen = [...first.body.data, ...second.body.data].map(({ name }) => name);
    expect(seen).toEqual(['List 6', 'List 5', 'List 4', 'List 3', 'List 2', 'List 1']);
    const last = await acme.ask<List>(`/api/projects?limit=200&cursor=${second.body.nextCursor}`);
    expect(last.body).toMatchObject({ data: [{ name: 'List 0' }], nextCursor: null });
  });

  it('refuse limits out of 1 to 200, and cursors that are not of this list', async () => {
    for (const limit of ['0', '201', '-1', 'x', '1.5']) {
      expect(await acme.ask(`/api/projects?limit=${limit}`)).toMatchObject({ status: 400 });
    }
    const { body } = await acme.ask<List>('/api/projects?limit=1');
    const cursor = String(body.nextCursor);
    const altered = cursor.slice(0, -2) + (cursor.endsWith('AA') ? 'BB' : 'AA');
    const other = await api.organization('Other');
    const refusals = [
      await acme.ask('/api/projects?cursor=abc'),
      await acme.ask(`/api/projects?cursor=${altered}`),
      await acme.ask(`/api/workspaces?cursor=${cursor}`),
      await acme.ask(`/api/projects?name=x&cursor=${cursor}`),
      await other.ask(`/api/projects?cursor=${cursor}`),
    ];
    for (const { status, body: refusal } of refusals) {
      expect({ status, refusal }).toMatchObject({
        status: 400,
        refusal: { error: { details: [{ path: 'cursor', code: 'unknown_cursor' }] } },
      });
    }
  });
});

describe('rates', () => {
  it('are counted by credential, said in every answer, and end in 429 with the seconds to wait', async () => {
    const slow = await startApi({ DOCSVC_RATE_REQUESTS_PER_MIN: '5' });
    try {
      const quick = await slow.organization();
      const { token } = await quick.client(['projects:read']);
      const first = await quick.ask('/api/me');
      expect(first.headers.get('ratelimit-limit')).toBe('5');
      const answers = await Promise.all(Array.from({ length: 8 }, () => quick.ask('/api/me')));
      const limited = answers.filter(({ status }) => status === 429);
      // One request made the client, one came before.
      expect(limited).toHaveLength(5);
      expect(limited[0]).toMatchObject({ body: { error: { code: 'rate_limited', retryable: true } } });
      expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect((await slow.ask('/api/projects', { token })).headers.get('ratelimit-remaining')).toBe('4');
    } finally {
      await slow.close();
    }
  });
});
