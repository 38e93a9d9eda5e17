import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PriceList } from '../../../src/domain/prices/price-list.js';
import { createTestDatabase } from '../../support/database/database.js';
import type { TestDatabase } from '../../support/database/database.js';
import { createGatedRun, readLedger, readRows } from '../../support/gate/gated-run.js';
import { DIALECT_CASES, streamedAnswer } from '../../support/models/model-wire.js';
import type { DialectCase, WireUsage } from '../../support/models/model-wire.js';
import { startPlane } from '../../support/plane/plane-app.js';
import type { PlaneApp } from '../../support/plane/plane-app.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { SeededRandom } from '../../support/random/seeded-random.js';
import { startWireProvider } from '../../support/models/wire-provider.js';
import type { WireProvider } from '../../support/models/wire-provider.js';

const STREAMS = 200;
const AT_ONCE = 6;
const WORDS = [
  'plain',
  'schön ',
  '日本語',
  '🦊🔥',
  '"usage":{"output_tokens":999}',
  '\\"}',
  '\u2028',
  'data: [DONE]',
  '\n',
];
const BETWEEN = [
  ': keep-alive\n\n', ':\n\n', 'event: ping\ndata: {"type":"ping"}\n\n', 'id: 7\nretry: 100\n\n', 'data: not json "usage"\n\n',
  'event: brand.new\ndata: {"type":"brand.new","usage":{"output_tokens":7}}\n\n', '\r\n', '\n',
]; // prettier-ignore

/** One stream: its bytes, where it is cut, and what the provider counted if it got as far as saying so. */
interface Planned {
  number: number;
  pieces: Buffer[];
  upstreamCut: boolean;
  /** After how many bytes the client hangs up. */
  clientCut: number | null;
  counted: WireUsage | null;
  /** Called when the request has reached the provider. */
  arrive: () => void;
  arrived: Promise<void>;
}

let database: TestDatabase;
let provider: WireProvider;
let plane: PlaneApp;
const planned = new Map<number, Planned>();

beforeAll(async () => {
  database = await createTestDatabase();
  provider = await startWireProvider(({ body }) => {
    const text = JSON.stringify(body);
    const stream = planned.get(Number(/stream-number-(\d+)/.exec(text)?.[1]));
    if (stream === undefined) return { status: 500, pieces: ['{}'] };
    stream.arrive();
    return { headers: { 'content-type': 'text/event-stream' }, pieces: stream.pieces, cut: stream.upstreamCut };
  });
  const url = provider.url;
  plane = await startPlane(database, {
    // A request whose client hung up is in flight until it is drained.
    SERVICE_LIMIT_MODEL_REQUESTS: String(STREAMS),
    SERVICE_LLM_MAX_CONCURRENT_RESERVATIONS: String(STREAMS),
    SERVICE_LLM_ANTHROPIC_URL: url, ANTHROPIC_API_KEY: 'k', SERVICE_LLM_OPENAI_URL: url, OPENAI_API_KEY: 'k',
  }); // prettier-ignore
});
afterAll(async () => {
  await plane.close();
  await provider.close();
  await database.close();
});

/** A stream of random words, counts, keep-alives, unknown events, cuts and pieces. */
function plan(number: number, one: DialectCase, random: SeededRandom): Planned {
  const usage: WireUsage = {
    input: random.between(0, 50_000),
    output: random.between(1, 9000),
    cacheRead: random.pick([0, random.between(1, 90_000)]),
    cacheWrite: one.dialect === 'anthropic' ? random.pick([0, random.between(1, 9000)]) : 0,
  };
  const texts = Array.from({ length: random.between(0, 30) }, () => random.pick(WORDS));
  const { events, lastReport } = streamedAnswer(one.dialect, { texts, usage });
  const spread = (event: string): string => (random.next() < 0.2 ? random.pick(BETWEEN) : '') + event;
  const before = events.slice(0, lastReport).map(spread).join('');
  const whole = Buffer.from(before + events.slice(lastReport).map(spread).join(''));
  // The line of the report is over when its last brace is there; the blank line behind it adds nothing.
  const reportEnd = Buffer.byteLength(before.trimEnd());
  const fate = random.next();
  const upstreamCut = fate < 0.3;
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const sent = upstreamCut ? whole.subarray(0, random.between(1, whole.length)) : whole;
  return {
    number,
    pieces: split(sent, random),
    upstreamCut,
    clientCut: fate > 0.7 ? random.pick([0, random.between(1, whole.length)]) : null,
    counted: sent.length >= reportEnd ? usage : null,
    arrive,
    arrived,
  };
}

function split(bytes: Buffer, random: SeededRandom): Buffer[] {
  const pieces: Buffer[] = [];
  const longest = random.pick([3, 40, 1000, 100_000]);
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(bytes.length, at + random.between(1, longest));
    pieces.push(bytes.subarray(at, end));
    at = end;
  }
  return pieces;
}

/** Reads the stream, or as much of it as the client has patience for. */
function consume(run: FixtureRun, one: DialectCase, stream: Planned): Promise<void> {
  const body = JSON.stringify(one.request({ stream: true, metadata: { user_id: `stream-number-${stream.number}` } }));
  return new Promise((resolve) => {
    const request = http.request(
      `${plane.url}/internal/llm/${one.path}`,
      { method: 'POST', headers: { 'x-api-key': run.tokens.llm } },
      (response) => {
        let received = 0;
        response.on('data', (chunk: Buffer) => {
          received += chunk.length;
          if (stream.clientCut !== null && received >= stream.clientCut) request.destroy();
        });
        response.on('close', resolve);
        response.on('error', () => resolve());
      },
    );
    request.on('error', () => resolve());
    request.end(body);
    if (stream.clientCut === 0) stream.arrived.then(() => request.destroy(), resolve);
  });
}

interface Reservation {
  state: string;
  held: number;
  held_cost: number;
}

async function settled(run: FixtureRun): Promise<Reservation[]> {
  for (let attempt = 0; ; attempt += 1) {
    const rows = await readRows<Reservation>(
      database.db,
      run,
      `select state, (input_tokens + output_tokens)::int as held, coalesce(cost_micros, 0)::int as held_cost
         from llm_reservations where session_id = $1`,
    );
    if (!rows.some(({ state }) => state === 'reserved') || attempt === 9000) return rows;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0);

describe(`what is on the record of ${STREAMS} random streams`, () => {
  it.each(DIALECT_CASES.map((one, index) => [one.dialect, one, index] as const))(
    'CP-023 CP-074 is what the provider counted, neither doubled nor missing: %s',
    async (_dialect, one, index) => {
      const random = new SeededRandom(20_001 + index);
      const run = await createGatedRun(database.db, { harness: one.harness, model: one.model });
      const numbers = Array.from({ length: STREAMS }, (_, n) => n).filter((n) => n % DIALECT_CASES.length === index);
      const streams = numbers.map((number) => plan(number, one, random));
      for (const stream of streams) planned.set(stream.number, stream);
      const waiting = [...streams];
      const client = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await consume(run, one, next);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, client));
      const reservations = await settled(run);

      const counted = streams.flatMap(({ counted: usage }) => (usage === null ? [] : [usage]));
      expect(counted.length).toBeGreaterThan(streams.length / 2);
      expect(counted.length).toBeLessThan(streams.length);

      const entries = await readRows<WireUsage & { cost: number }>(
        database.db,
        run,
        `select input_tokens::int as input, output_tokens::int as output, cache_read_tokens::int as "cacheRead",
                cache_write_tokens::int as "cacheWrite", cost_micros::int as cost from usage_entries where session_id = $1`,
      );
      const prices = new PriceList();
      const expected = counted.map((usage) => ({
        ...usage,
        cost: prices.costOf(one.model, {
          inputTokens: usage.input, outputTokens: usage.output, cacheReadTokens: usage.cacheRead, cacheWriteTokens: usage.cacheWrite,
        }),
      })); // prettier-ignore
      const inOrder = (list: object[]): string[] => list.map((entry) => JSON.stringify(entry)).sort();
      expect(inOrder(entries)).toEqual(inOrder(expected));

      const open = reservations.filter(({ state }) => state === 'unreported');
      expect(reservations.filter(({ state }) => state === 'charged')).toHaveLength(counted.length);
      expect(open).toHaveLength(streams.length - counted.length);
      const [head] = await readRows<{ tokens: number; cost: number }>(
        database.db,
        run,
        'select spent_tokens::int as tokens, spent_cost_micros::int as cost from session_heads where session_id = $1',
      );
      expect(head).toEqual({
        tokens: sum(counted.map(({ input, output, cacheRead, cacheWrite }) => input + output + cacheRead + cacheWrite))
          + sum(open.map(({ held }) => held)),
        cost: sum(expected.map(({ cost }) => cost ?? 0)) + sum(open.map(({ held_cost }) => held_cost)),
      }); // prettier-ignore
      const responses = (await readLedger(database.db, run)).filter(({ type }) => type === 'model.response');
      expect(responses).toHaveLength(counted.length);
    },
  );
});
