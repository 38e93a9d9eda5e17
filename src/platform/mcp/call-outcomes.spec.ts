import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loopbackEgress } from '../../../test/support/mcp/broker-client.js';
import { HostileServer } from '../../../test/support/mcp/hostile-server.js';
import type { Behaviour } from '../../../test/support/mcp/behaviour.js';
import { untilHolds } from '../../../test/support/time/until.js';
import { never, SessionBench } from '../../../test/support/mcp/session-bench.js';

const MIB = 1024 * 1024;

const bench = new SessionBench();

afterAll(() => bench.egress.close());
beforeEach(() => bench.renew());
afterEach(() => bench.server.close());

describe('what becomes of a call', () => {
  const ambiguous: [string, Behaviour][] = [
    ['cut after the request was read', { kind: 'cut', at: 'request' }],
    ['cut behind the head of the answer', { kind: 'cut', at: 'headers' }],
    ['cut in mid-body', { kind: 'cut', at: 'body' }],
    ['never answered', { kind: 'hang' }],
    ['answered too late', { kind: 'slow', delayMs: 30_000 }],
    ['redirected', { kind: 'redirect', to: 'http://169.254.169.254/latest' }],
    ['answered with too much, announced', { kind: 'oversized', bytes: 9 * MIB, announced: true }],
    ['answered with too much, unannounced', { kind: 'oversized', bytes: 9 * MIB, announced: false }],
    ['answered with another media type', { kind: 'raw', contentType: 'text/html', body: '<p>{}' }],
    ['answered with malformed JSON', { kind: 'raw', contentType: 'application/json', body: '{"jsonrpc":' }],
    [
      'answered to another id',
      { kind: 'raw', contentType: 'application/json', body: '{"jsonrpc":"2.0","id":"2","result":{}}' },
    ],
    [
      'answered in another version of JSON-RPC',
      { kind: 'raw', contentType: 'application/json', body: '{"id":2,"result":{}}' },
    ],
    [
      'answered with an endless event',
      { kind: 'raw', contentType: 'text/event-stream', body: `data: ${'x'.repeat(300_000)}` },
    ],
    ['answered with 5000 events', { kind: 'raw', contentType: 'text/event-stream', body: 'data: 1\n\n'.repeat(5000) }],
    ['answered 202 without a word', { kind: 'status', status: 202 }],
  ];
  it.each(ambiguous)('CP-162 is ambiguous when it was %s, and it is not sent again', async (_case, behaviour) => {
    const patience = ['hang', 'slow'].includes(behaviour.kind) ? 3_000 : 60_000;
    await bench.freeze({ requestTimeoutMs: patience });
    bench.server.always('tools/call', behaviour);
    expect(await bench.call()).toMatchObject({ state: 'ambiguous' });
    expect(bench.server.calls).toHaveLength(1);
  });

  it('CP-160 says that nothing was sent when the connection was refused', async () => {
    // Without a connection that was kept from before.
    const fresh = loopbackEgress();
    await bench.freeze({ client: fresh.guarded });
    await bench.server.stop();
    expect(await bench.call()).toMatchObject({
      state: 'failed_before_send',
      error: expect.stringContaining('initialize: '),
    });
    await bench.server.listen();
    bench.server.resetConnections(1);
    expect((await bench.call()).state).not.toBe('succeeded');
    expect(bench.server.calls).toHaveLength(0);
    await fresh.close();
  });

  it('CP-034 follows no redirect and does not name its target', async () => {
    const decoy = await HostileServer.start();
    bench.server.always('tools/call', { kind: 'redirect', to: decoy.url });
    const outcome = await bench.call();
    expect(outcome).toMatchObject({ state: 'ambiguous', error: expect.stringContaining('redirect (refused)') });
    expect(JSON.stringify(outcome)).not.toContain(String(decoy.port));
    expect(decoy.arrivals).toHaveLength(0);
    await decoy.close();
  });

  it.each([400, 403, 404, 409, 429, 500, 502, 503])('CP-161 HTTP %i is a definitive answer', async (status) => {
    bench.server.next('tools/call', { kind: 'status', status, body: 'SECRET upstream words' });
    if (status === 404) bench.server.next('tools/call', { kind: 'status', status });
    const outcome = await bench.call();
    expect(outcome).toMatchObject({ state: 'failed_upstream', isError: true, httpStatus: status });
    expect(JSON.stringify(outcome)).not.toContain('SECRET');
  });

  it('CP-161 a JSON-RPC error is a definitive answer, whose words stay upstream', async () => {
    bench.server.next('tools/call', { kind: 'error', code: -32000, message: 'SECRET upstream words' });
    const outcome = await bench.call();
    expect(outcome).toMatchObject({
      state: 'failed_upstream',
      error: expect.stringMatching(/^tools\/call: upstream error -32000 \(message sha256:[0-9a-f]{16}\)$/),
    });
    expect(JSON.stringify(outcome)).not.toContain('SECRET');
  });

  it('CP-161 a tool that answers with an error has answered', async () => {
    const content = [{ type: 'text', text: 'no such record' }];
    bench.server.next('tools/call', { kind: 'answer', result: { content, isError: true } });
    expect(await bench.call()).toEqual({ state: 'failed_upstream', isError: true, content });
  });

  it.each([
    ['no result', undefined],
    ['a result that is no object', 7],
    ['content that is no list', { content: 'x' }],
    ['content of texts', { content: ['x'] }],
  ])('takes %s for a failure', async (_case, result) => {
    const body = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result });
    bench.server.always('tools/call', ({ message }) => ({
      kind: 'raw',
      contentType: 'application/json',
      body: body(message?.id),
    }));
    expect(await bench.call()).toMatchObject({ state: 'failed_upstream', error: expect.stringContaining('result') });
  });

  it.each([401, 403])('names the scopes that HTTP %i asks for', async (status) => {
    const challenge = 'Bearer realm="a, b", error="insufficient_scope", scope="write:\\"x mail"';
    bench.server.next('tools/call', { kind: 'status', status, headers: { 'www-authenticate': challenge } });
    expect(await bench.call()).toMatchObject({
      state: 'unauthorized',
      httpStatus: status,
      insufficientScope: 'mail',
      text: expect.stringContaining('insufficient scope'),
    });
  });

  it('given up under way it is ambiguous, and the server is told', async () => {
    const abort = new AbortController();
    bench.server.always('tools/call', { kind: 'hang' });
    const outcome = bench.call('{}', abort.signal);
    await untilHolds(() => bench.server.calls.length === 1);
    abort.abort();
    expect(await outcome).toMatchObject({ state: 'ambiguous' });
    await untilHolds(() => bench.server.methods.includes('notifications/cancelled'));
    expect(bench.server.arrivals.at(-1)!.message?.params).toMatchObject({
      requestId: bench.server.calls[0]!.message!.id,
    });
  });

  it('given up while it waits for its turn it is not sent', async () => {
    const abort = new AbortController();
    bench.server.next('tools/call', { kind: 'slow', delayMs: 300 });
    const first = bench.call();
    const second = bench.call('{}', abort.signal);
    abort.abort();
    expect(await second).toMatchObject({ state: 'failed_before_send' });
    expect(await first).toMatchObject({ state: 'succeeded' });
    expect(bench.server.calls).toHaveLength(1);
  });

  it('is not sent with arguments that are no object, nor for a tool that is not frozen', async () => {
    for (const text of ['[]', '7', '"x"', '{'])
      expect(await bench.call(text)).toMatchObject({ state: 'failed_before_send' });
    expect(await bench.session.callTool('other', '{}', never)).toMatchObject({ state: 'failed_before_send' });
    expect(bench.server.arrivals).toHaveLength(0);
    expect(await bench.call('null')).toMatchObject({ state: 'succeeded' });
    expect(bench.server.calls[0]!.message!.params).toEqual({ name: 'echo' });
  });
});
