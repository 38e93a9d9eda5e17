import { connect } from 'node:net';
import { createPublicKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyExport } from '../../../src/domain/ledger/verify-export.js';
import type { LedgerEvent } from '../../../src/domain/events/event-kinds.js';
import { ADMIN_TOKEN, startApi, type TestApi } from '../../support/api/api.js';
import { heldMemory } from '../../support/memory/held-memory.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function newRun(): Promise<string> {
  return (await api.post('/v1/sessions', { agent: 'fixer', task: '[]' })).body.session.id;
}

const append = (id: string, count: number, text = 'hello') =>
  api.db.withTenant(api.organizationId, (tx) =>
    tx.append(
      id,
      Array.from({ length: count }, (_, index) => ({
        actor: 'agent' as const,
        type: 'agent.message',
        data: { role: 'assistant', text: `${text} ${index}` },
      })),
    ),
  );

const poll = async (id: string, query = ''): Promise<LedgerEvent[]> =>
  (await api.get(`/v1/sessions/${id}/events${query}`)).body.events;
const seqsOf = (events: { seq: number }[]): number[] => events.map((event) => event.seq);
const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** Reads a stream until it has delivered the seq, then hangs up. */
async function follow(
  id: string,
  until: number,
  options: { query?: string; headers?: Record<string, string> } = {},
): Promise<LedgerEvent[]> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(new Error(`the stream did not reach ${until}`)), 100_000);
  const response = await fetch(`${api.url}/v1/sessions/${id}/events/stream${options.query ?? ''}`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...options.headers },
    signal: abort.signal,
  });
  expect(response.status).toBe(200);
  const events: LedgerEvent[] = [];
  let text = '';
  try {
    for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        const match = /^id: (\d+)\ndata: (.*)$/.exec(frame);
        if (match === null) continue;
        const event = JSON.parse(match[2] ?? '') as LedgerEvent;
        expect(String(event.seq)).toBe(match[1]);
        events.push(event);
      }
      if ((events.at(-1)?.seq ?? 0) >= until) break;
    }
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
  return events;
}

describe('polling', () => {
  it('CP-131 CP-193 CP-194 answers what is strictly after, ascending, 200 at most unless asked', async () => {
    const id = await newRun();
    await append(id, 400);
    expect(seqsOf(await poll(id))).toEqual(upTo(200));
    expect(seqsOf(await poll(id, '?after=200&limit=1000'))).toEqual(upTo(401, 201));
    expect(seqsOf(await poll(id, '?after=399&limit=1'))).toEqual([400]);
    expect(await poll(id, '?after=401')).toEqual([]);
    expect(seqsOf(await poll(id, '?after=-5&limit=2'))).toEqual([1, 2]);
    expect(await poll(id, '?after=9223372036854775807')).toEqual([]);
    for (const query of ['?after=x', '?after=1.5', '?after=', '?after=9223372036854775808', '?limit=0']) {
      expect((await api.get(`/v1/sessions/${id}/events${query}`)).status).toBe(400);
    }
    const [event] = await poll(id, '?limit=1');
    expect(Object.keys(event ?? {})).toEqual([
      'event_id',
      'session_id',
      'seq',
      'actor',
      'type',
      'payload',
      'occurred_at',
    ]);
  });

  it('CP-131 seq is gapless under concurrent appends', async () => {
    const id = await newRun();
    await Promise.all(Array.from({ length: 40 }, (_, index) => append(id, 1 + (index % 3))));
    const events = await poll(id, '?limit=1000');
    expect(seqsOf(events)).toEqual(upTo(events.length));
  });

  it('CP-291 no route or statement changes or removes an event', async () => {
    const id = await newRun();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await api.call(method, `/v1/sessions/${id}/events`)).status).toBe(405);
    for (const sql of ['update events set type = type', 'delete from events']) {
      await expect(api.db.withTenant(api.organizationId, (tx) => tx.query(sql))).rejects.toThrow();
    }
  });
});

describe('streaming', () => {
  it('CP-195 says what it is, and that no proxy may buffer it', async () => {
    const id = await newRun();
    const abort = new AbortController();
    const response = await fetch(`${api.url}/v1/sessions/${id}/events/stream`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      signal: abort.signal,
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    abort.abort();
    expect((await api.call('HEAD', `/v1/sessions/${id}/events/stream`)).status).toBe(200);
    expect((await api.get(`/v1/sessions/${id}/events/stream`, { token: null })).status).toBe(401);
  });

  it('CP-196 goes on after Last-Event-ID, else after the query, else from the start', async () => {
    const id = await newRun();
    await append(id, 20);
    expect(seqsOf(await follow(id, 21))).toEqual(upTo(21));
    expect(seqsOf(await follow(id, 21, { headers: { 'last-event-id': '18' } }))).toEqual([19, 20, 21]);
    expect(seqsOf(await follow(id, 21, { query: '?after=19' }))).toEqual([20, 21]);
    expect(seqsOf(await follow(id, 21, { query: '?after=3', headers: { 'last-event-id': '20' } }))).toEqual([21]);
    expect(seqsOf(await follow(id, 21, { headers: { 'last-event-id': 'nonsense' } }))).toEqual(upTo(21));
    expect((await api.get(`/v1/sessions/${id}/events/stream?after=x`)).status).toBe(400);
  });

  it('CP-005 CP-328 new events arrive without polling, as the same record that polling shows', async () => {
    const id = await newRun();
    const following = follow(id, 6);
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (let index = 0; index < 5; index += 1) await append(id, 1);
    expect(await following).toEqual(await poll(id));
  });

  it('CP-197 40 clients that hang up and switch between polling and streaming see every event once', async () => {
    const id = await newRun();
    const last = 601;
    const writing = (async () => {
      for (let index = 0; index < 100; index += 1) await append(id, 6);
    })();
    const client = async (seed: number): Promise<number[]> => {
      const seen: number[] = [];
      for (let round = 0; (seen.at(-1) ?? 0) < last; round += 1) {
        const after = seen.at(-1) ?? 0;
        if ((round + seed) % 3 === 0) seen.push(...seqsOf(await poll(id, `?after=${after}&limit=${1 + (seed % 50)}`)));
        else
          seen.push(
            ...seqsOf(
              await follow(id, Math.min(last, after + 1 + ((seed * 7 + round * 13) % 90)), {
                headers: { 'last-event-id': String(after) },
              }),
            ),
          );
      }
      return seen;
    };
    const all = await Promise.all(Array.from({ length: 40 }, (_, seed) => client(seed)));
    await writing;
    for (const seen of all) expect(seen).toEqual(upTo(last));
  }, 300_000);

  it('CP-198 losing notifications loses no event', async () => {
    const id = await newRun();
    const following = follow(id, 11);
    await new Promise((resolve) => setTimeout(resolve, 200));
    // Another process that appends and tells nobody.
    const mute = await api.database.connect();
    mute.wakeups.publish = () => undefined;
    for (let index = 0; index < 10; index += 1) {
      await mute.withTenant(api.organizationId, (tx) =>
        tx.append(id, [{ actor: 'agent', type: 'agent.message', data: { role: 'assistant', text: 'x' } }]),
      );
    }
    expect(seqsOf(await following)).toEqual(upTo(11));
  });

  it('a reader that does not read holds no events in memory, and gets all of them later', async () => {
    const id = await newRun();
    const { port } = new URL(api.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `GET /v1/sessions/${id}/events/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${ADMIN_TOKEN}\r\n\r\n`,
    );
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    const before = heldMemory();
    for (let index = 0; index < 60; index += 1) await append(id, 50, 'x'.repeat(4000));
    // Two thirds of what was appended.
    expect(heldMemory() - before).toBeLessThan(8 * 1024 * 1024);
    const last = 3001;
    expect(seqsOf(await follow(id, last)).at(-1)).toBe(last);
    const chunks: Buffer[] = [];
    await new Promise<void>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (Buffer.concat(chunks.slice(-2)).includes(`"seq":${last},`)) resolve();
      });
      socket.resume();
    });
    const text = Buffer.concat(chunks)
      .toString('latin1')
      .replaceAll(/\r\n[0-9a-f]+\r\n/g, '');
    const seen = [...text.matchAll(/"seq":(\d+),/g)].map((match) => Number(match[1]));
    socket.destroy();
    expect(seen).toEqual(upTo(last));
  });
});

describe('the audit export', () => {
  it('is verified with the public key alone', async () => {
    const id = await newRun();
    await append(id, 600);
    const exported = await api.get(`/v1/sessions/${id}/events/export`);
    expect([exported.status, exported.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    expect(exported.text.trimEnd().split('\n').length).toBe(603);
    const key = (await api.get('/v1/ledger-key')).body;
    const report = await verifyExport(Buffer.from(exported.text), createPublicKey(key.public_key));
    expect(report).toMatchObject({ ok: true, problems: [] });
  });
});
