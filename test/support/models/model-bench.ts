import { startScriptedModel } from '../../../src/cli/demo/scripted-model.js';
import type { ScriptedModel } from '../../../src/cli/demo/scripted-model.js';
import type { ModelScript } from '../../../src/cli/demo/wire/model-script.js';
import { createTestDatabase } from '../database/database.js';
import type { TestDatabase } from '../database/database.js';
import { post, readRows } from '../gate/gated-run.js';
import type { ContractAnswer } from '../gate/gated-run.js';
import { startPlane } from '../plane/plane-app.js';
import type { PlaneApp } from '../plane/plane-app.js';
import type { FixtureRun } from '../runs/run-fixture.js';

export const MODEL = 'claude-haiku-4-5';
export const USAGE = {
  input_tokens: 100,
  output_tokens: 50,
  cache_read_input_tokens: 10,
  cache_creation_input_tokens: 20,
};

/** A model that answers with one text and {@link USAGE}. */
export const say =
  (text: string, more: object = {}): ModelScript =>
  () => ({ kind: 'reply', content: [{ text }], usage: USAGE, ...more });

export function request(more: object = {}): object {
  return { model: MODEL, max_tokens: 2000, messages: [{ role: 'user', content: 'hello' }], ...more };
}

/** The model gateway before a provider that answers what {@link script} says. */
export class ModelBench {
  script: ModelScript = say('hello');

  private constructor(
    readonly database: TestDatabase,
    readonly model: ScriptedModel,
    readonly plane: PlaneApp,
  ) {}

  static async start(): Promise<ModelBench> {
    const database = await createTestDatabase();
    const model = await startScriptedModel({ script: (asked) => bench.script(asked), apiKey: 'provider-key' });
    const env = { SERVICE_LLM_ANTHROPIC_URL: model.url, ANTHROPIC_API_KEY: 'provider-key' };
    const bench: ModelBench = new ModelBench(database, model, await startPlane(database, env));
    return bench;
  }

  call(run: FixtureRun, body: unknown, path = 'v1/messages', at: PlaneApp = this.plane): Promise<ContractAnswer> {
    return post(`${at.url}/internal/llm/${path}`, run.tokens.llm, body);
  }

  stream(run: FixtureRun, body: object, signal?: AbortSignal): Promise<Response> {
    return fetch(`${this.plane.url}/internal/llm/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': run.tokens.llm },
      body: JSON.stringify({ ...body, stream: true }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  usageOf(run: FixtureRun): Promise<object[]> {
    const sql =
      'select model, input_tokens::int, output_tokens::int, cache_read_tokens::int, cache_write_tokens::int, cost_micros::int, source from usage_entries where session_id = $1';
    return readRows(this.database.db, run, sql);
  }

  async reservationsOf(run: FixtureRun): Promise<string[]> {
    const sql = 'select state from llm_reservations where session_id = $1 order by id';
    return (await readRows<{ state: string }>(this.database.db, run, sql)).map((row) => row.state);
  }

  async close(): Promise<void> {
    await this.plane.close();
    await this.model.close();
    await this.database.close();
  }
}
