import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../support/api/api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000';

function isErrorBody(body: unknown): void {
  expect(Object.keys(body as object)).toEqual(['error']);
  expect(typeof (body as { error: unknown }).error).toBe('string');
}

describe('every failure has one shape', () => {
  const failures: [string, string, string, object, number][] = [
    ['an unknown route', 'GET', '/v1/nothing', {}, 404],
    ['an unknown route outside /v1', 'GET', '/nothing', {}, 404],
    ['a wrong method', 'DELETE', '/v1/agents', {}, 405],
    ['a method with a body that is missing', 'QUERY', '/v1/agents', {}, 405],
    ['malformed JSON', 'POST', '/v1/agents', { raw: '{"name":' }, 400],
    ['a body that is no object', 'POST', '/v1/agents', { raw: '[]' }, 400],
    ['no body', 'POST', '/v1/agents', {}, 400],
    ['a prototype member', 'POST', '/v1/agents', { raw: '{"__proto__":{"x":1},"name":"a"}' }, 400],
    [
      'another media type',
      'POST',
      '/v1/agents',
      { raw: 'name=a', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
    ],
    ['plain text', 'POST', '/v1/agents', { raw: 'x', headers: { 'content-type': 'text/plain' } }, 415],
    ['a body above the limit', 'POST', '/v1/agents', { raw: `{"name":"${'a'.repeat(2_200_000)}"}` }, 413],
    ['a malformed id', 'GET', '/v1/sessions/abc', {}, 404],
    ['an id of nothing', 'GET', `/v1/sessions/${UNKNOWN_ID}`, {}, 404],
    ['a malformed escape', 'GET', '/v1/agents/%zz', {}, 400],
    ['a very long name', 'GET', `/v1/agents/${'a'.repeat(5000)}`, {}, 404],
    ['NUL in a path', 'GET', '/v1/agents/a%00b', {}, 404],
    ['NUL in a policy name', 'GET', '/v1/policies/a%00b', {}, 404],
  ];
  it.each(failures)('CP-299 CP-329 %s', async (_what, method, path, options, status) => {
    const answer = await api.call(method, path, options);
    expect(answer.status).toBe(status);
    isErrorBody(answer.body);
    expect(answer.headers.get('x-request-id')).toBeTruthy();
  });

  it('CP-299 bytes that are no HTTP request', async () => {
    const { port } = new URL(api.url);
    const said = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write('nonsense\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
    });
    expect(said).toMatch(/^HTTP\/1\.1 400 /);
    isErrorBody(JSON.parse(said.split('\r\n\r\n')[1] ?? ''));
  });

  it.each([
    ['{"name":', 'body: is not valid JSON'],
    ['{"env":{"__proto__":{}}}', 'body: a member named __proto__, or constructor.prototype, is refused'],
    ['{"constructor":{"prototype":{}}}', 'body: a member named __proto__, or constructor.prototype, is refused'],
  ])('CP-329 a body that is not read says why: %s', async (raw, error) => {
    expect((await api.call('POST', '/v1/agents', { raw })).body).toEqual({ error });
  });

  it('a wrong method says which ones there are', async () => {
    const answer = await api.call('PUT', '/v1/agents');
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
  });

  it.each([
    ['/v1/agents', 204, 'GET, HEAD, OPTIONS, POST'],
    ['/v1/sessions/x/cancel', 204, 'OPTIONS, POST'],
    ['/v1/policies/default?x=1', 204, 'DELETE, GET, HEAD, OPTIONS'],
    ['/.well-known/service-client.json', 204, 'GET, HEAD, OPTIONS'],
    ['/v1/nothing', 404, null],
    ['/', 204, 'GET, HEAD, OPTIONS'],
    ['/nothing', 404, null],
  ])('CP-329 OPTIONS says what %s allows, without a credential', async (path, status, allow) => {
    const answer = await api.call('OPTIONS', path, { token: null });
    expect([answer.status, answer.headers.get('allow')]).toEqual([status, allow]);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    if (status === 204) expect(answer.text).toBe('');
    else isErrorBody(answer.body);
  });
});

describe('text that cannot be stored', () => {
  it.each([
    ['NUL in a value', '{"agent":"fixer","task":"a\\u0000b"}'],
    ['NUL in a member name', '{"agent":"fixer","task":"a","labels":{"a\\u0000":"b"}}'],
    ['a lone surrogate', '{"agent":"fixer","task":"\\ud800"}'],
    ['a lone surrogate deep inside', '{"agent":"fixer","task":"a","bindings":{"x":[{"y":"\\udc00"}]}}'],
    ['nesting without end', `{"agent":"fixer","task":"a","bindings":${'['.repeat(5000)}${']'.repeat(5000)}}`],
  ])('CP-300 CP-176 %s is refused with 400', async (_what, raw) => {
    const answer = await api.post('/v1/sessions', undefined, { raw });
    expect(answer.status).toBe(400);
    isErrorBody(answer.body);
  });

  it('CP-300 numbers beyond every type are refused with 400', async () => {
    for (const budgets of [
      '{"max_tool_calls":1e999}',
      '{"max_tool_calls":99999999999999999999}',
      '{"max_cost_usd":-1}',
      '{"max_tokens":1.5}',
      '{"max_wall_clock_secs":"5"}',
    ]) {
      const answer = await api.post('/v1/sessions', undefined, {
        raw: `{"agent":"fixer","task":"a","budgets":${budgets}}`,
      });
      expect(answer.status).toBe(400);
      expect(answer.body.error).toMatch(/^budgets\.max_/);
    }
  });
});

describe('limit', () => {
  it.each(['0', '-1', '1.5', 'x', '', '+5', '0x10', '1&limit=2'])('CP-300 %s is refused', async (limit) => {
    for (const path of ['/v1/sessions', '/v1/agents', '/v1/approvals']) {
      const answer = await api.get(`${path}?limit=${encodeURIComponent(limit).replace('%26limit%3D', '&limit=')}`);
      expect([answer.status, answer.body.error]).toEqual([400, 'limit: must be a positive integer']);
    }
  });
  it('CP-199 CP-205 CP-174 a limit above 1000 is clamped', async () => {
    for (const path of ['/v1/sessions', '/v1/agents', '/v1/approvals']) {
      expect((await api.get(`${path}?limit=99999999999999999999999`)).status).toBe(200);
    }
  });
});

describe('headers', () => {
  it('no CORS headers, and those that browsers read for safety', async () => {
    const answer = await api.get('/v1/agents', { headers: { origin: 'https://example.com' } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  });
  it('a request id of the caller is kept when it is harmless', async () => {
    expect((await api.get('/v1/health', { headers: { 'x-request-id': 'abc-1' } })).headers.get('x-request-id')).toBe(
      'abc-1',
    );
    expect((await api.get('/v1/health', { headers: { 'x-request-id': 'a b' } })).headers.get('x-request-id')).not.toBe(
      'a b',
    );
  });
});
