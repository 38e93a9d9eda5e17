import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { githubPullRequest } from '../../support/webhooks/payloads.js';
import { IngressBench } from '../../support/webhooks/ingress-bench.js';

let bench: IngressBench;
beforeAll(async () => {
  bench = await IngressBench.start();
});
afterAll(() => bench?.close());
beforeEach(() => bench.clear());

const HOUR = 60 * 60 * 1000;
const later = (ms: number) => () => Date.now() + ms;
/** Bodies of one test must not count as those of another. */
const pullRequest = (of: Parameters<typeof githubPullRequest>[0] = {}) => githubPullRequest({ title: uuidv7(), ...of });
const idOf = (answer: { body: unknown }) => (answer.body as { delivery_id: string }).delivery_id;

async function statuses(deliveryId: string): Promise<[string, string | null][]> {
  return (await bench.dispatches(deliveryId)).map(({ status, skip_reason }) => [status, skip_reason]);
}

describe('a stored webhook', () => {
  it('CP-108 starts one run for each trigger that listens, oldest first, on the exact head commit', async () => {
    const subscriptions = [await bench.subscribe(), await bench.subscribe(), await bench.subscribe()];
    const sha = 'abcdef0123456789abcdef0123456789abcdef01';
    const delivery = await bench.receive(pullRequest({ sha, number: 7, title: 'Add {{pr_author}}' }), {
      delivery: 'gh-1',
    });
    const dispatches = await bench.dispatches(delivery);
    expect(dispatches.map((one) => [one.subscription_id, one.status])).toEqual(
      subscriptions.map((id) => [id, 'created']),
    );
    const run = await bench.run(dispatches[0]?.session_id);
    expect(run).toMatchObject({
      subscription_id: subscriptions[0],
      trust_tier: 'trusted',
      invoked_by_kind: 'webhook',
      invoked_by_user_id: null,
    });
    expect(run.run_spec).toMatchObject({
      task: `Review acme/shop#7 at ${sha}.`,
      workspace: {
        kind: 'git_repository',
        connection_id: bench.connectionId,
        repository: 'acme/shop',
        clone_url: `${bench.host.host.url()}/acme/shop`,
        commit_sha: sha,
        base_sha: expect.stringMatching(/^[0-9a-f]{40}$/),
        checkout_mode: 'writable_copy',
      },
      invocation: {
        kind: 'event',
        actor: 'codehost:Codertocat',
        subscription_id: subscriptions[0],
        provider: 'codehost',
        external_event_id: 'gh-1',
        event_type: 'pull_request.opened',
        resource: 'acme/shop#7',
        occurred_at: '2019-05-15T15:20:33.000Z',
        attributes: { pr_number: 7, head_sha: sha, fork: false, title: 'Add {{pr_author}}' },
      },
      result_destinations: [
        { kind: 'codehost_pr_comment', connection_id: bench.connectionId, repository: 'acme/shop', pr_number: 7 },
      ],
    });
    expect(run.run_spec).not.toHaveProperty('workspace.ref');
  });

  it('CP-109 is matched by event and repository, in any case; a disabled trigger and one of another connection are left out', async () => {
    const all = await bench.subscribe();
    const named = await bench.subscribe({ repositories: ['other/one', 'ACME/Shop'] });
    await bench.subscribe({ repositories: ['acme/shop2'] });
    await bench.subscribe({ events: ['pull_request.synchronize'] });
    await bench.subscribe({ events: [] });
    await bench.subscribe({ enabled: false });
    await bench.subscribe({ connection_id: await bench.connect() });
    const delivery = await bench.receive(pullRequest({ repository: 'Acme/shop' }));
    expect((await bench.dispatches(delivery)).map((one) => one.subscription_id)).toEqual([all, named]);
  });

  it('that no trigger listens to starts nothing and wakes nothing', async () => {
    await bench.subscribe({ events: ['pull_request.reopened'] });
    const answer = await bench.send(pullRequest());
    expect([answer.status, await bench.count('driver_outbox'), await bench.handle(idOf(answer))]).toEqual([
      200,
      0,
      null,
    ]);
    expect(await bench.dispatches(idOf(answer))).toEqual([]);
  });

  it('leaves one wake-up for its workflow in the transaction that stores it', async () => {
    await bench.subscribe();
    const id = idOf(await bench.send(pullRequest()));
    const { rows } = await bench.api.database.owner.query('select subject_id, kind from driver_outbox');
    expect(rows).toEqual([{ subject_id: id, kind: 'webhook_stored' }]);
  });

  it('that is sent again is a duplicate and starts nothing new', async () => {
    const subscription = await bench.subscribe();
    const payload = pullRequest();
    const delivery = await bench.receive(payload, { delivery: 'again' });
    const again = await bench.send(payload, { delivery: 'again' });
    expect(again.body).toEqual({
      delivery_id: delivery,
      event_type: 'pull_request.opened',
      duplicate: true,
      dispatched: [],
      skipped: [{ subscription_id: subscription, reason: 'already_dispatched' }],
    });
    await bench.handle(delivery);
    expect([await bench.count('trigger_deliveries'), (await bench.dispatches(delivery)).length]).toEqual([1, 1]);
  });

  it('sent again, it completes what is missing: a trigger that was enabled since', async () => {
    await bench.subscribe();
    const payload = pullRequest();
    const delivery = await bench.receive(payload, { delivery: 'more' });
    await bench.api.database.owner.query('delete from driver_outbox');
    const late = await bench.subscribe();
    expect((await bench.send(payload, { delivery: 'more' })).body).toMatchObject({ duplicate: true });
    expect(await bench.count('driver_outbox')).toBe(1);
    await bench.handle(delivery);
    expect((await bench.dispatches(delivery)).map((one) => one.subscription_id)).toEqual([expect.any(String), late]);
  });

  it('under a new id but with the same content counts as the earlier one for seven days', async () => {
    const payload = pullRequest();
    const first = idOf(await bench.send(payload));
    expect((await bench.send(payload)).body).toMatchObject({ delivery_id: first, duplicate: true });
    const old = `update trigger_deliveries set received_at = received_at - interval '7 days 1 minute'`;
    await bench.api.database.owner.query(old);
    expect((await bench.send(payload)).body).toMatchObject({ duplicate: false });
    const other = await bench.connect();
    expect((await bench.send(payload, { path: `/v1/ingress/codehost/${other}` })).body).toMatchObject({
      duplicate: false,
    });
    expect((await bench.send({ ...payload, action: 'reopened' })).body).toMatchObject({ duplicate: false });
  });

  it('one failure does not stop the others, says why and is not tried again', async () => {
    await bench.subscribe({ task_template: 'Look at {{secret}}' });
    await bench.subscribe({ pinned_revision_id: null, capability_bundles: [], task_template: 'Fine {{head_sha}}' });
    const payload = pullRequest();
    const delivery = await bench.receive(payload, { delivery: 'half' });
    const expected = [
      ['error', expect.stringMatching(/^error: task_template: \{\{secret\}\} has no value/)],
      ['created', null],
    ];
    expect(await statuses(delivery)).toEqual(expected);
    await bench.send(payload, { delivery: 'half' });
    expect([await bench.handle(delivery), await statuses(delivery)]).toEqual([null, expected]);
  });

  it('waits out a full queue, ever less often, and gives up after a day', async () => {
    await bench.subscribe();
    const delivery = idOf(await bench.send(pullRequest()));
    const full = (ms: number) => bench.handle(delivery, later(ms), 0);
    expect(await full(0)).toBe(5000);
    expect(await full(60_000)).toBeGreaterThanOrEqual(15_000);
    expect(await full(HOUR)).toBe(300_000);
    const { rows } = await bench.api.database.owner.query('select from trigger_deliveries where handled_at is null');
    expect([await statuses(delivery), rows.length]).toEqual([[], 1]);
    expect(await full(25 * HOUR)).toBeNull();
    expect(await statuses(delivery)).toEqual([['error', 'error: run queue full']]);
  });

  it('that found the queue full has its run as soon as there is room', async () => {
    await bench.subscribe();
    const delivery = idOf(await bench.send(pullRequest()));
    expect(await bench.handle(delivery, Date.now, 0)).toBe(5000);
    expect([await bench.handle(delivery), await statuses(delivery)]).toEqual([null, [['created', null]]]);
  });

  it('whose run fails on a row of something else that is there already is not taken for done', async () => {
    const subscription = await bench.subscribe();
    await bench.receive(pullRequest());
    const delivery = idOf(await bench.send(pullRequest()));
    const { owner } = bench.api.database;
    await owner.query(
      `create unique index one_run on sessions (subscription_id) where subscription_id = '${subscription}'`,
    );
    expect([await bench.handle(delivery), await statuses(delivery)]).toEqual([5000, []]);
    await owner.query('drop index one_run');
    expect([await bench.handle(delivery), await statuses(delivery)]).toEqual([null, [['created', null]]]);
  });

  it('CP-116 skip_if_running skips with its reason, replace asks the earlier run to stop', async () => {
    const skipping = await bench.subscribe({ concurrency_policy: 'skip_if_running' });
    const replacing = await bench.subscribe({ concurrency_policy: 'replace' });
    const first = await bench.dispatches(await bench.receive(pullRequest()));
    const second = await bench.dispatches(await bench.receive(pullRequest()));
    const outcome = (id: string) => second.find((one) => one.subscription_id === id);
    expect(outcome(skipping)).toMatchObject({ status: 'skipped', skip_reason: 'overlap', session_id: null });
    expect(outcome(replacing)).toMatchObject({ status: 'created' });
    const replaced = first.find((one) => one.subscription_id === replacing)?.session_id;
    const { rows } = await bench.api.database.owner.query(
      'select reason from session_finalizations where session_id = $1',
      [replaced],
    );
    expect(rows).toEqual([{ reason: 'replaced by a newer invocation of this subscription' }]);
  });

  it('starts one run for each trigger however many workers handle it at once', async () => {
    for (const policy of ['allow', 'skip_if_running', 'replace'] as const)
      await bench.subscribe({ concurrency_policy: policy });
    const delivery = idOf(await bench.send(pullRequest()));
    const before = await bench.count('sessions');
    await Promise.all(Array.from({ length: 12 }, () => bench.handle(delivery)));
    expect(await statuses(delivery)).toEqual(Array.from({ length: 3 }, () => ['created', null]));
    expect((await bench.count('sessions')) - before).toBe(3);
  });

  it('is listed with what came of it, without its payload, for whoever may see the connection', async () => {
    const subscription = await bench.subscribe();
    const delivery = await bench.receive(pullRequest(), { delivery: 'listed' });
    const [member, approver] = [await bench.api.addUser('member'), await bench.api.addUser('approver')];
    const list = (token: string) => bench.api.get(`/v1/connections/${bench.connectionId}/deliveries`, { token });
    const [answer, hidden] = [await list(approver.token), await list(member.token)];
    const [dispatch] = await bench.dispatches(delivery);
    const without = (text: string): string => text.replace(`"${dispatch?.session_id}"`, 'null');
    // Nobody in person started the run, so a plain member does not see which one it is.
    expect([hidden.status, hidden.text]).toEqual([200, without(answer.text)]);
    expect(hidden.text).not.toContain(dispatch?.session_id);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        deliveries: [
          {
            id: delivery,
            external_event_id: 'listed',
            event_type: 'pull_request.opened',
            payload_digest: expect.stringMatching(/^sha256:/),
            occurred_at: '2019-05-15T15:20:33.000Z',
            received_at: expect.any(String),
            dispatches: [
              {
                id: dispatch?.id,
                delivery_id: delivery,
                subscription_id: subscription,
                session_id: dispatch?.session_id,
                status: 'created',
                skip_reason: null,
                created_at: expect.any(String),
              },
            ],
          },
        ],
      },
    ]);
    const personal = await bench.connect({
      owner_type: 'user',
      owner_user_id: member.userId,
      created_by_user_id: member.userId,
    });
    expect((await bench.api.get(`/v1/connections/${personal}/deliveries`, { token: member.token })).status).toBe(200);
    expect((await bench.api.get(`/v1/connections/${personal}/deliveries`)).status).toBe(404);
    expect((await bench.api.get(`/v1/connections/${uuidv7()}/deliveries`)).status).toBe(404);
  });
});
