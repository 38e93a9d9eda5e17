import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { PublishingBench } from '../../support/deliveries/publishing-bench.js';

let on: PublishingBench;
beforeAll(async () => {
  on = await PublishingBench.start();
});
afterAll(() => on?.close());
afterEach(() => {
  on.results.failing = null;
  on.results.meanwhile = null;
});

let pulls = 0;
/** A pull request of its own for a test, by the person's connection. */
const newPull = () => ({ connection: on.personal, pull: ++pulls });
const commentsOf = ({ pull }: { pull: number }) => on.results.comments.filter(({ place }) => place === String(pull));

/** What was asked of the host while `work` went on. */
async function askedDuring(work: () => Promise<unknown>): Promise<string[]> {
  const before = on.results.asked.length;
  await work();
  return on.results.asked.slice(before).map((line) => line.replace('/repos/acme/app/', ''));
}

describe('the comment of a trigger at a pull request', () => {
  it('CP-110 is made by the first run and edited by those after it', async () => {
    const [subscription, pull] = [await on.subscribe('review'), newPull()];
    const first = await on.published(subscription, pull, { summary: 'first' });
    expect(first).toMatchObject({ status: 'delivered', attempts: 1, last_error: null });
    const [comment] = commentsOf(pull);
    expect(comment!.body).toMatch(/^### 🤖 fixer review\n\nfirst\n\n---\n\n_trigger review · run [-0-9a-f]{36}_\n\n/u);
    expect(comment!.body.endsWith(`<!-- service:sub:${subscription.id} -->`)).toBe(true);
    const asked = await askedDuring(() => on.published(subscription, pull, { status: 'failed', summary: null }));
    expect(asked).toEqual([`PATCH issues/comments/${comment!.id}`]);
    expect(commentsOf(pull)).toHaveLength(1);
    expect(comment!.body).toContain('> ⚠️ The run ended as **failed**.\n\n(no summary produced)');
    expect(await on.recorded(subscription)).toMatchObject([
      { kind: 'codehost_pr_comment', resource_key: `acme/app#${pull.pull}`, external_id: String(comment!.id) },
    ]);
    expect(await on.bench.callbackEvents(first.session_id)).toEqual([
      {
        type: 'callback.delivered',
        data: {
          delivery_id: first.id,
          attempt: 1,
          url: `https://code.test/acme/app/pull/1#issuecomment-${comment!.id}`,
        },
      },
    ]);
  });

  it('is one for each trigger and pull request', async () => {
    const [one, other] = [await on.subscribe('one'), await on.subscribe('other')];
    const [pull, elsewhere] = [newPull(), newPull()];
    for (const subscription of [one, other])
      for (const place of [pull, elsewhere, pull]) await on.published(subscription, place);
    expect([commentsOf(pull).length, commentsOf(elsewhere).length]).toEqual([2, 2]);
  });

  it('is found again by its last line when its record was lost, on a later page too', async () => {
    const [subscription, pull] = [await on.subscribe('forgetful'), newPull()];
    for (let n = 0; n < 130; n++) on.results.addComment(String(pull.pull), `chatter ${n}`);
    await on.published(subscription, pull, { summary: 'before' });
    await on.forget(subscription);
    const asked = await askedDuring(() => on.published(subscription, pull, { summary: 'after' }));
    expect(asked.map((line) => line.split('?')[0])).toEqual([
      `GET issues/${pull.pull}/comments`,
      `GET issues/${pull.pull}/comments`,
      expect.stringMatching(/^PATCH issues\/comments\//) as unknown,
    ]);
    const ours = commentsOf(pull).filter(({ body }) => body.includes('service:sub:'));
    expect(ours).toHaveLength(1);
    expect(ours[0]!.body).toContain('after');
    expect(await on.recorded(subscription)).toMatchObject([{ external_id: String(ours[0]!.id) }]);
  });

  it('is looked for on ten pages', async () => {
    const [subscription, pull] = [await on.subscribe('long talk'), newPull()];
    for (let n = 0; n < 1000; n++) on.results.addComment(String(pull.pull), 'chatter');
    await on.published(subscription, pull);
    await on.forget(subscription);
    const asked = await askedDuring(() => on.published(subscription, pull));
    expect(asked.filter((line) => line.startsWith('GET'))).toHaveLength(10);
    expect(commentsOf(pull)).toHaveLength(1002);
  });

  it('is made anew when somebody deleted it', async () => {
    const [subscription, pull] = [await on.subscribe('deleted'), newPull()];
    await on.published(subscription, pull);
    on.results.comments.splice(on.results.comments.indexOf(commentsOf(pull)[0]!), 1);
    await on.published(subscription, pull);
    const [comment] = commentsOf(pull);
    expect(await on.recorded(subscription)).toMatchObject([{ external_id: String(comment!.id) }]);
  });

  it('is never another one that carries its marker: one of somebody else, or one that goes on after it', async () => {
    const [subscription, pull] = [await on.subscribe('copied'), newPull()];
    const marker = `<!-- service:sub:${subscription.id} -->`;
    const owner = { login: 'octo', id: 4711, appId: null };
    const theirs = on.results.addComment(String(pull.pull), `mine now ${marker}`);
    const quoted = on.results.addComment(String(pull.pull), `> ${marker}\n\nI agree`, owner);
    await on.published(subscription, pull);
    expect(commentsOf(pull).map(({ id }) => id)).toEqual([theirs, quoted, expect.any(Number) as unknown]);
    expect(commentsOf(pull)[0]!.body).toBe(`mine now ${marker}`);
  });

  it('is found again as the app that wrote it, with an app', async () => {
    const [subscription, pull] = [await on.subscribe('by an app'), { ...newPull(), connection: on.app }];
    await on.published(subscription, pull);
    await on.forget(subscription);
    await on.published(subscription, pull);
    expect(commentsOf(pull)).toMatchObject([{ by: { appId: 99 } }]);
  });

  it('CP-297 is not made when the list cannot be read: the attempt fails, in words of ours, and the next one makes it', async () => {
    const [subscription, pull] = [await on.subscribe('unlisted'), newPull()];
    const runId = await on.ended(subscription, pull);
    for (const status of [500, 404, 403]) {
      on.results.failing = { fits: /^GET .*\/comments$/, status };
      expect(await on.attempt(runId)).toMatchObject({
        status: 'pending',
        last_error: `the code host answered ${status}`,
      });
    }
    expect(commentsOf(pull)).toEqual([]);
    on.results.failing = null;
    expect(await on.attempt(runId)).toMatchObject({ status: 'delivered', attempts: 4, last_error: null });
    expect(commentsOf(pull)).toHaveLength(1);
  });

  it('stays one when two runs report at once', async () => {
    const [subscription, pull] = [await on.subscribe('at once'), newPull()];
    const [first, second] = [await on.ended(subscription, pull), await on.ended(subscription, pull)];
    // The second one reports whole while the first has found no comment and makes its own.
    on.results.meanwhile = { fits: /^POST .*\/comments$/, run: async () => void (await on.attempt(second)) };
    expect(await on.attempt(first)).toMatchObject({ status: 'delivered' });
    const [comment, ...more] = commentsOf(pull);
    expect(more).toEqual([]);
    expect(await on.recorded(subscription)).toMatchObject([{ external_id: String(comment!.id) }]);
  });

  /** As an attempt makes it that dies before it is on the record. @returns its id */
  const addLost = ({ id }: { id: string }, { pull }: { pull: number }): number =>
    on.results.addComment(String(pull), `lost\n\n<!-- service:sub:${id} -->`, { login: 'octo', id: 4711, appId: null });

  it('stays one though several were made by attempts that died before the record', async () => {
    const [subscription, pull] = [await on.subscribe('nothing recorded'), newPull()];
    const oldest = addLost(subscription, pull);
    addLost(subscription, pull);
    await on.published(subscription, pull, { summary: 'alive' });
    expect(commentsOf(pull)).toMatchObject([{ id: oldest, body: expect.stringContaining('alive') as unknown }]);
    expect(await on.recorded(subscription)).toMatchObject([{ external_id: String(oldest) }]);
  });

  it('stays one when an attempt is made again that died beside the one on the record', async () => {
    const [subscription, pull] = [await on.subscribe('one recorded'), newPull()];
    await on.published(subscription, pull);
    const [recorded] = commentsOf(pull);
    const runId = await on.ended(subscription, pull, { summary: 'again' });
    addLost(subscription, pull);
    expect(await on.attempt(runId, 2)).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(commentsOf(pull)).toMatchObject([{ id: recorded!.id, body: expect.stringContaining('again') as unknown }]);
  });

  it('stays that of the later run when an earlier one is made again that died beside it', async () => {
    const [subscription, pull] = [await on.subscribe('earlier died'), newPull()];
    const early = await on.ended(subscription, pull, { summary: 'early' });
    await on.published(subscription, pull, { summary: 'later' });
    const [later] = commentsOf(pull);
    addLost(subscription, pull);
    expect(await on.attempt(early, 2)).toMatchObject({ status: 'delivered', payload_digest: null });
    expect(commentsOf(pull)).toMatchObject([{ id: later!.id, body: expect.stringContaining('later') as unknown }]);
  });

  it('keeps what a later run reported when an earlier one comes through at last', async () => {
    const [subscription, pull] = [await on.subscribe('late'), newPull()];
    const early = await on.ended(subscription, pull, { summary: 'early' });
    on.results.failing = { fits: /^GET/, status: 502 };
    await on.attempt(early);
    on.results.failing = null;
    await on.published(subscription, pull, { summary: 'later' });
    const asked = await askedDuring(async () =>
      expect(await on.attempt(early)).toMatchObject({ status: 'delivered', payload_digest: null }),
    );
    expect(asked).toEqual([]);
    expect(commentsOf(pull)[0]!.body).toContain('later');
  });

  it('CP-296 is not touched when the connection was revoked, and the run stays as it ended', async () => {
    const [subscription, pull] = [await on.subscribe('revoked'), newPull()];
    const { id: other } = (
      await on.bench.api.post('/v1/connections', { provider: 'codehost', token: 'ghp_personal0123456789' })
    ).body;
    const runId = await on.ended(subscription, { ...pull, connection: other });
    await on.bench.api.post(`/v1/connections/${other}/revoke`);
    const asked = await askedDuring(async () => {
      expect(await on.attempt(runId)).toMatchObject({
        status: 'pending',
        last_error: expect.stringMatching(/revoked|active/) as unknown,
      });
    });
    expect(asked).toEqual([]);
    expect((await on.bench.api.get(`/v1/sessions/${runId}`)).body.session.status).toBe('completed');
  });
});
