import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { PublishingBench } from '../../support/deliveries/publishing-bench.js';

let on: PublishingBench;
beforeAll(async () => {
  on = await PublishingBench.start();
});
afterAll(() => on?.close());
afterEach(async () => {
  on.results.failing = null;
  on.results.checksRefused = null;
  await on.bench.own('update integration_connections set checks_refused_generation = null');
});

let commits = 0;
/** A commit of its own for a test. */
const newCommit = (connection = on.app) => ({ connection, sha: String(++commits).padStart(40, '0') });
const checksOf = ({ sha }: { sha: string }) => on.results.checkRuns.filter((one) => one.sha === sha);
const statusesOf = ({ sha }: { sha: string }) => on.results.statuses.filter((one) => one.sha === sha);

async function askedDuring(work: () => Promise<unknown>): Promise<string[]> {
  const before = on.results.asked.length;
  await work();
  return on.results.asked.slice(before).map((line) => line.replace('/repos/acme/app/', ''));
}

describe('the check of a trigger at a commit', () => {
  it('CP-110 is made by the first run, with an app, and brought up to date by those after it', async () => {
    const [subscription, commit] = [await on.subscribe('tests & more'), newCommit()];
    const first = await on.published(subscription, commit, { summary: 'fine' });
    const [check] = checksOf(commit);
    expect(check!.body).toMatchObject({
      name: 'service/tests & more',
      external_id: `service:sub:${subscription.id}`,
      status: 'completed',
      conclusion: 'success',
      output: { title: 'fixer: completed', summary: 'fine' },
    });
    expect(first).toMatchObject({ status: 'delivered', payload_digest: expect.stringMatching(/^sha256:/) as unknown });
    const asked = await askedDuring(() => on.published(subscription, commit, { status: 'cancelled' }));
    expect(asked).toEqual([`PATCH check-runs/${check!.id}`]);
    expect(check!.body).toMatchObject({ conclusion: 'cancelled', output: { title: 'fixer: cancelled' } });
    expect(await on.recorded(subscription)).toMatchObject([
      { kind: 'codehost_check_run', resource_key: `acme/app@${commit.sha}`, external_id: String(check!.id) },
    ]);
    expect(await on.bench.callbackEvents(first.session_id)).toMatchObject([
      { data: { url: `https://code.test/acme/app/runs/${check!.id}` } },
    ]);
  });

  it('is found again by its external id alone when its record was lost, on three pages', async () => {
    const [subscription, commit] = [await on.subscribe('lost'), newCommit()];
    const handle = `service:sub:${subscription.id}`;
    for (let n = 0; n < 150; n++)
      on.results.addCheckRun(commit.sha, 99, { name: 'service/lost', external_id: `other ${n}` });
    on.results.addCheckRun(commit.sha, 12, { name: 'service/lost', external_id: handle });
    await on.published(subscription, commit);
    await on.forget(subscription);
    await on.published(subscription, commit, { status: 'failed' });
    const ours = checksOf(commit).filter(({ appId, body }) => appId === 99 && body['external_id'] === handle);
    expect(ours).toMatchObject([{ body: { conclusion: 'failure' } }]);
    for (let n = 0; n < 150; n++)
      on.results.checkRuns.unshift({ ...ours[0]!, id: 10 + n, body: { name: 'service/lost' } });
    await on.forget(subscription);
    const asked = await askedDuring(() => on.published(subscription, commit));
    expect(asked.filter((line) => line.startsWith('GET'))).toHaveLength(3);
    expect(asked.at(-1)).toBe('POST check-runs');
  });

  it('CP-297 is not made when the list cannot be read, and an app that may not make it gets no status instead', async () => {
    const [subscription, commit] = [await on.subscribe('refused'), newCommit()];
    const runId = await on.ended(subscription, commit);
    on.results.failing = { fits: /^GET/, status: 500 };
    expect(await on.attempt(runId)).toMatchObject({ status: 'pending', last_error: 'the code host answered 500' });
    on.results.failing = null;
    on.results.checksRefused = 403;
    expect(await on.attempt(runId)).toMatchObject({ status: 'pending', last_error: 'the code host answered 403' });
    expect([checksOf(commit), statusesOf(commit)]).toEqual([[], []]);
  });
});

describe('a commit status in place of a check', () => {
  it.each([404, 403] as const)(
    'is set where checks are answered %s, and checks are not asked for again',
    async (answer) => {
      const subscription = await on.subscribe(`without checks ${answer}`);
      const [commit, next] = [newCommit(on.personal), newCommit(on.personal)];
      on.results.checksRefused = answer === 404 ? 404 : null;
      const asked = await askedDuring(() => on.published(subscription, commit));
      expect(asked.some((line) => line.includes('check-runs'))).toBe(true);
      expect(statusesOf(commit)).toMatchObject([
        { context: `service/without checks ${answer}`, state: 'success', description: 'fixer: completed' },
      ]);
      expect(checksOf(commit)).toEqual([]);
      const later = await askedDuring(async () => {
        expect(await on.published(subscription, next, { status: 'failed' })).toMatchObject({ status: 'delivered' });
      });
      expect(later).toEqual([`GET commits/${next.sha}/status?per_page=100&page=1`, `POST statuses/${next.sha}`]);
      expect(statusesOf(next)).toMatchObject([{ state: 'failure' }]);
      expect(await on.recorded(subscription)).toMatchObject([
        { kind: 'codehost_commit_status' },
        { kind: 'codehost_commit_status', resource_key: `acme/app@${next.sha}` },
      ]);
    },
  );

  it('is not set twice when its record was lost', async () => {
    const [subscription, commit] = [await on.subscribe('twice'), newCommit(on.personal)];
    await on.published(subscription, commit);
    await on.forget(subscription);
    await on.published(subscription, commit);
    expect(statusesOf(commit)).toHaveLength(1);
    expect(await on.recorded(subscription)).toMatchObject([{ external_id: String(statusesOf(commit)[0]!.id) }]);
    await on.published(subscription, commit, { status: 'failed' });
    expect(statusesOf(commit).map(({ state }) => state)).toEqual(['success', 'failure']);
  });

  it('says nothing about checks when it is refused as well', async () => {
    const [subscription, commit] = [await on.subscribe('invisible'), newCommit(on.personal)];
    on.results.failing = { fits: /./, status: 404 };
    const runId = await on.ended(subscription, commit);
    expect(await on.attempt(runId)).toMatchObject({ status: 'pending', last_error: 'the code host answered 404' });
    const [connection] = await on.bench.own<{ refused: number | null }>(
      'select checks_refused_generation as refused from integration_connections where id = $1',
      [on.personal],
    );
    expect(connection).toEqual({ refused: null });
  });

  it('is asked for under the authorization that checks were refused to; a new one tries checks', async () => {
    const [subscription, commit] = [await on.subscribe('renewed'), newCommit(on.personal)];
    await on.bench.own(
      'update integration_connections set checks_refused_generation = authorization_generation + 1 where id = $1',
      [on.personal],
    );
    const asked = await askedDuring(() => on.published(subscription, commit));
    expect(asked.some((line) => line.includes('check-runs'))).toBe(true);
  });
});
