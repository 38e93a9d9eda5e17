import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { ApprovalWatch } from '../../../src/api/approvals/approval-watch.js';
import { createApi } from '../../../src/api/create-api.js';
import { startApi, ADMIN_TOKEN, type Answer, type TestApi } from '../../support/api/api.js';
import { ask, newRun } from '../../support/gate/asked-approval.js';
import { createRun, type FixtureRun } from '../../support/runs/run-fixture.js';
import { until } from '../../support/time/until.js';

const MAX_WAITERS = 40;
/** Longer than any wake-up takes on a busy machine, shorter than the fallback re-read and the waiting would be. */
const PROMPT_MS = 25_000;

let api: TestApi;
let run: FixtureRun;
beforeAll(async () => {
  api = await startApi({
    SERVICE_LIMIT_APPROVAL_WAITERS: String(MAX_WAITERS),
    // Far away: what arrives in time came by a wake-up.
    SERVICE_TIMING_TAIL_REREAD_MS: '60000',
  });
});
afterAll(() => api.close());
beforeEach(async () => {
  run = await newRun(api);
});

interface List {
  approvals: { id: string; status: string }[];
  cursor: string;
}

const list = (answer: Answer): List => answer.body as unknown as List;
const decide = (id: string, decision = 'denied') => api.post(`/v1/approvals/${id}/decision`, { decision });
const inbox = (query = '') => api.get(`/v1/approvals${query}`);
const ofRun = (query = '') => api.get(`/v1/sessions/${run.runId}/approvals${query}`);

async function timed<T>(work: Promise<T>): Promise<{ value: T; ms: number }> {
  const started = performance.now();
  return { value: await work, ms: performance.now() - started };
}

/** Until this process holds so many long polls. */
async function untilWaiting(count = 1, { app }: Pick<TestApi, 'app'> = api): Promise<void> {
  const watch: unknown = app.get(ApprovalWatch, { strict: false });
  const { callers } = watch as { callers: Set<unknown> };
  expect(
    await until(
      () => callers.size,
      (waiting) => waiting === count,
    ),
  ).toBe(count);
}

describe('waiting for the inbox', () => {
  it('answers at once when the list is not the one that the caller saw', async () => {
    const { cursor } = list(await inbox());
    const id = await ask(api, run);
    const { value, ms } = await timed(inbox(`?wait=60&cursor=${cursor}`));
    expect(list(value).approvals.map((each) => each.id)).toEqual([id]);
    expect(list(value).cursor).not.toBe(cursor);
    expect(ms).toBeLessThan(PROMPT_MS);
    await decide(id);
  });

  it('without a cursor the caller saw the empty list', async () => {
    const waiting = timed(inbox('?wait=60'));
    await untilWaiting();
    const id = await ask(api, run);
    const { value, ms } = await waiting;
    expect(list(value).approvals).toHaveLength(1);
    expect(ms).toBeLessThan(PROMPT_MS);
    expect((await timed(inbox('?wait=60'))).ms).toBeLessThan(PROMPT_MS);
    await decide(id);
  });

  it('answers when something is asked or settled, and not before', async () => {
    const id = await ask(api, run);
    const { cursor } = list(await inbox());
    let answered = false;
    const waiting = inbox(`?wait=60&cursor=${cursor}`).finally(() => {
      answered = true;
    });
    await untilWaiting();
    expect(answered).toBe(false);
    const decidedAt = performance.now();
    await decide(id);
    expect(list(await waiting).approvals).toEqual([]);
    expect(performance.now() - decidedAt).toBeLessThan(PROMPT_MS);
  });

  it('answers the same list when the time is over', async () => {
    const before = list(await inbox());
    const { value, ms } = await timed(inbox(`?wait=1&cursor=${before.cursor}`));
    expect(list(value)).toEqual(before);
    expect(ms).toBeGreaterThan(950);
    expect(ms).toBeLessThan(950 + PROMPT_MS);
  });

  it('hears of what another process of the deployment did', async () => {
    const other = await api.database.connect();
    const { cursor } = list(await inbox());
    const waiting = timed(inbox(`?wait=60&cursor=${cursor}`));
    await untilWaiting();
    const id = await ask({ ...api, db: other }, run);
    const { value, ms } = await waiting;
    expect(list(value).approvals.map((each) => each.id)).toEqual([id]);
    expect(ms).toBeLessThan(PROMPT_MS);
    await decide(id);
  });

  it('hears nothing of another organization', async () => {
    const { cursor } = list(await inbox());
    const waiting = timed(inbox(`?wait=1&cursor=${cursor}`));
    await untilWaiting();
    await ask(api, await createRun(api.db));
    expect((await waiting).ms).toBeGreaterThan(950);
  });

  it('a cursor holds at another process and after a restart', async () => {
    const id = await ask(api, run);
    const { cursor } = list(await inbox());
    const restarted = await createApi({
      config: api.config,
      database: api.db,
      adminToken: ADMIN_TOKEN,
      organizationId: api.organizationId,
    });
    await restarted.listen({ port: 0, host: '127.0.0.1' });
    const url = await restarted.getUrl();
    const get = (query: string) =>
      fetch(`${url}/v1/approvals${query}`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    expect((await timed(get(`?wait=1&cursor=${cursor}`))).ms).toBeGreaterThan(950);
    const waiting = get(`?wait=60&cursor=${cursor}`);
    await untilWaiting(1, { app: restarted });
    const { ms } = await timed(restarted.close());
    expect(ms).toBeLessThan(PROMPT_MS);
    const last = (await (await waiting).json()) as List;
    expect(last.cursor).toBe(cursor);
    await decide(id);
  });

  it('many who wait share one read, and one more than the limit is asked to come again', async () => {
    const { cursor } = list(await inbox());
    const waiting = Array.from({ length: MAX_WAITERS }, () => inbox(`?wait=60&cursor=${cursor}`));
    await untilWaiting(MAX_WAITERS);
    const refused = await inbox(`?wait=60&cursor=${cursor}`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect((await inbox()).status).toBe(200);
    const id = await ask(api, run);
    const answers = await Promise.all(waiting);
    expect(answers.every((answer) => list(answer).approvals[0]?.id === id)).toBe(true);
    const pause = list(await inbox());
    expect((await timed(inbox(`?wait=1&cursor=${pause.cursor}`))).ms).toBeGreaterThan(950);
    await decide(id);
  });

  it('a caller who hangs up leaves no place taken', async () => {
    const { cursor } = list(await inbox());
    for (let round = 0; round < 2; round += 1) {
      const gone = new AbortController();
      const waiting = Array.from({ length: MAX_WAITERS }, () =>
        fetch(`${api.url}/v1/approvals?wait=60&cursor=${cursor}`, {
          headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
          signal: gone.signal,
        }),
      );
      await untilWaiting(MAX_WAITERS);
      expect((await inbox(`?wait=60&cursor=${cursor}`)).status).toBe(503);
      gone.abort();
      await Promise.allSettled(waiting);
      await untilWaiting(0);
    }
    expect((await inbox(`?wait=1&cursor=${cursor}`)).status).toBe(200);
  });

  it.each(['wait=soon', 'wait=-1', 'wait=1.5', 'wait=1&wait=2', 'cursor=', `cursor=${'x'.repeat(129)}`])(
    '%s is 400',
    async (query) => {
      const answer = await inbox(`?${query}`);
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/^(wait|cursor): must be/)]);
    },
  );
});

describe('waiting for the approvals of a run', () => {
  it('CP-334 answers when one is asked or settled, and limit cuts', async () => {
    expect(list(await ofRun()).approvals).toEqual([]);
    const waiting = timed(ofRun('?wait=60'));
    await untilWaiting();
    const id = await ask(api, run);
    const first = await waiting;
    expect(list(first.value).approvals).toMatchObject([{ id, status: 'pending' }]);
    expect(first.ms).toBeLessThan(PROMPT_MS);
    const settled = timed(ofRun(`?wait=60&cursor=${list(first.value).cursor}`));
    await untilWaiting();
    await decide(id, 'approved_once');
    const second = await settled;
    expect(list(second.value).approvals).toMatchObject([{ id, status: 'approved_once' }]);
    expect(second.ms).toBeLessThan(PROMPT_MS);
    const next = await ask(api, run);
    expect(list(await ofRun('?limit=1')).approvals.map((each) => each.id)).toEqual([next]);
    await decide(next);
  });

  it('an unknown run is 404 at once', async () => {
    const { value, ms } = await timed(api.get(`/v1/sessions/${uuidv7()}/approvals?wait=60`));
    expect(value.status).toBe(404);
    expect(ms).toBeLessThan(PROMPT_MS);
  });
});
