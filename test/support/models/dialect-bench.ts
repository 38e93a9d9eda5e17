import { createTestDatabase } from '../database/database.js';
import type { TestDatabase } from '../database/database.js';
import { createGatedRun, post, readRows } from '../gate/gated-run.js';
import type { GatedRunOptions, ContractAnswer } from '../gate/gated-run.js';
import { startPlane } from '../plane/plane-app.js';
import type { PlaneApp } from '../plane/plane-app.js';
import type { FixtureRun } from '../runs/run-fixture.js';
import { streamedAnswer, wholeAnswer } from './model-wire.js';
import type { DialectCase, WireReply } from './model-wire.js';
import { startWireProvider } from './wire-provider.js';
import type { WireAnswer, WireProvider, WireRequest } from './wire-provider.js';

export const USAGE = { input: 100, output: 50, cacheRead: 10, cacheWrite: 0 };
export const SSE = { 'content-type': 'text/event-stream' };

/** What the provider answers in a dialect: "hello" in two pieces, with {@link USAGE}. */
export const reply =
  (one: DialectCase, more: Partial<WireReply> = {}) =>
  ({ body }: WireRequest): WireAnswer => {
    const said: WireReply = { texts: ['hel', 'lo'], usage: USAGE, ...more };
    return body['stream'] === true
      ? { headers: SSE, pieces: streamedAnswer(one.dialect, said).events }
      : { pieces: [JSON.stringify(wholeAnswer(one.dialect, said))] };
  };

/** The model gateway before a provider of every dialect, which answers what {@link answer} says. */
export class DialectBench {
  answer: (request: WireRequest) => WireAnswer | Promise<WireAnswer> = () => ({ pieces: [] });

  private constructor(
    readonly database: TestDatabase,
    readonly provider: WireProvider,
    readonly plane: PlaneApp,
  ) {}

  static async start(): Promise<DialectBench> {
    const database = await createTestDatabase();
    const provider = await startWireProvider((request) => bench.answer(request));
    const plane = await startPlane(database, {
      SERVICE_LLM_ANTHROPIC_URL: provider.url,
      ANTHROPIC_API_KEY: 'anthropic-key',
      SERVICE_LLM_OPENAI_URL: provider.url,
      OPENAI_API_KEY: 'openai-key',
    });
    const bench: DialectBench = new DialectBench(database, provider, plane);
    return bench;
  }

  runOf(one: DialectCase, options: GatedRunOptions = {}): Promise<FixtureRun> {
    return createGatedRun(this.database.db, { harness: one.harness, model: one.model, ...options });
  }

  call(run: FixtureRun, one: DialectCase, body: unknown, at = this.plane): Promise<ContractAnswer> {
    return post(`${at.url}/internal/llm/${one.path}`, run.tokens.llm, body);
  }

  usageOf(run: FixtureRun): Promise<object[]> {
    const sql =
      'select input_tokens::int, output_tokens::int, cache_read_tokens::int from usage_entries where session_id = $1';
    return readRows(this.database.db, run, sql);
  }

  async reservationsOf(run: FixtureRun): Promise<string[]> {
    const sql = 'select state from llm_reservations where session_id = $1';
    return (await readRows<{ state: string }>(this.database.db, run, sql)).map(({ state }) => state);
  }

  async close(): Promise<void> {
    await this.plane.close();
    await this.provider.close();
    await this.database.close();
  }
}
