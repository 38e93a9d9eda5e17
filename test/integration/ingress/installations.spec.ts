import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import type { ConnectionStatus } from '../../../src/domain/connections/connection.js';
import { AppBench } from '../../support/webhooks/app-bench.js';
import { githubPullRequest, recordedWebhooks } from '../../support/webhooks/payloads.js';

let bench: AppBench;
beforeAll(async () => {
  bench = await AppBench.start();
});
afterAll(() => bench?.close());
beforeEach(() => bench.clear());

/** Installations that the host of the bench has: 501 is live, 502 is suspended, 777 is gone. */
const [LIVE, SUSPENDED, GONE] = ['501', '502', '777'];
const pullRequest = (installation?: number) =>
  githubPullRequest({ title: uuidv7(), ...(installation === undefined ? {} : { installation }) });

describe('a webhook at the address of a registered app', () => {
  it('is for the connection of the installation that its payload names', async () => {
    const connection = await bench.connect(LIVE, 'active');
    const answer = await bench.send('pull_request', pullRequest(501));
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({ event_type: 'pull_request.opened', duplicate: false }),
    ]);
    const { rows } = await bench.bench.api.database.owner.query('select connection_id from trigger_deliveries');
    expect(rows).toEqual([{ connection_id: connection.id }]);
    const other = await bench.send('pull_request', githubPullRequest({ action: 'labeled', installation: 501 }));
    expect([other.status, other.body]).toEqual([200, { ignored: 'pull_request.labeled' }]);
  });

  it.each([
    ['a ping', 'ping', () => ({ zen: 'ok', installation: { id: 501 } }), { ignored: 'ping' }],
    ['one of no installation', 'pull_request', () => pullRequest(), { ignored: 'pull_request' }],
    [
      'one of an unknown installation',
      'pull_request',
      () => pullRequest(9),
      { ignored: 'pull_request', installation_id: '9' },
    ],
    ['an installation that is no number', 'push', () => ({ installation: { id: '../1' } }), { ignored: 'push' }],
    ['an id of 21 digits', 'push', () => `{"installation":{"id":${'9'.repeat(21)}}}`, { ignored: 'push' }],
    [
      'an id of 20 digits',
      'push',
      () => `{"installation":{"id":${'9'.repeat(20)}}}`,
      { ignored: 'push', installation_id: '9'.repeat(20) },
    ],
  ] as const)('%s is acknowledged with 202 and leaves no row', async (_, event, payload, body) => {
    const answer = await bench.send(event, payload());
    expect([answer.status, answer.body, await bench.bench.count('trigger_deliveries')]).toEqual([202, body, 0]);
  });

  it.each(['pending', 'suspended', 'error', 'revoked'] as const)(
    'an installation that is %s receives nothing',
    async (status) => {
      await bench.connect(LIVE, status);
      const answer = await bench.send('pull_request', pullRequest(501));
      expect([answer.status, answer.body]).toEqual([202, { ignored: 'pull_request', installation_id: '501' }]);
    },
  );

  it('an installation that was entered by hand, or that another registration has, receives nothing', async () => {
    await bench.connect(LIVE, 'active', null);
    expect((await bench.send('pull_request', pullRequest(501))).status).toBe(202);
    await bench.clear();
    await bench.connect(LIVE, 'active', await bench.register());
    expect((await bench.send('pull_request', pullRequest(501))).status).toBe(202);
  });

  it('CP-278 is refused without its signature, without a secret, and for a registration that is not active', async () => {
    await bench.connect(LIVE, 'active');
    expect((await bench.send('pull_request', pullRequest(501), { secret: 'another' })).status).toBe(401);
    expect((await bench.send('pull_request', pullRequest(501), { delivery: '' })).status).toBe(401);
    expect((await bench.send('pull_request', '{', {})).status).toBe(400);
    const mute = await bench.register({ secret: null });
    expect((await bench.send('pull_request', pullRequest(501), { registrationId: mute })).status).toBe(401);
    const revoked = await bench.register({ status: 'revoked' });
    expect((await bench.send('pull_request', pullRequest(501), { registrationId: revoked })).status).toBe(404);
    expect((await bench.send('pull_request', pullRequest(501), { registrationId: uuidv7() })).status).toBe(404);
    expect(await bench.bench.count('trigger_deliveries')).toBe(0);
  });

  it('CP-278 the signature of a connection is none of an app, and the other way round', async () => {
    const path = `/v1/ingress/codehost/${bench.registrationId}`;
    expect((await bench.send('pull_request', pullRequest(501), { path })).status).toBe(404);
    const registrationId = bench.bench.connectionId;
    expect((await bench.send('pull_request', pullRequest(501), { registrationId })).status).toBe(404);
  });
});

describe('an event of an installation', () => {
  it('created: a new one waits for its approval, and no host is asked', async () => {
    const answer = await bench.installation('created', LIVE);
    const [connection] = await bench.connections(LIVE);
    expect([answer.status, answer.body]).toEqual([
      200,
      { handled: 'created', installation_id: '501', connection_id: connection?.id, status: 'pending' },
    ]);
    expect(connection).toMatchObject({
      status: 'pending',
      registration_id: bench.registrationId,
      owner_type: 'organization',
      display_name: 'sandgate-acme → acme',
      metadata: { app_id: '99', installation_id: '501', app_slug: 'sandgate-acme', account_login: 'acme' },
    });
    expect(bench.bench.host.host.requests).toEqual([]);
  });

  it.each(['pending', 'active', 'suspended', 'error', 'revoked'] as const)(
    'created changes nothing of one that is %s already',
    async (status) => {
      const before = await bench.connect(LIVE, status);
      const answer = await bench.installation('created', LIVE);
      expect([answer.status, answer.body]).toEqual([
        200,
        { handled: 'created', installation_id: '501', connection_id: before.id, status },
      ]);
      expect(await bench.connections(LIVE)).toEqual([before]);
    },
  );

  it('created ten times at once makes one connection', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => bench.installation('created', LIVE)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await bench.statuses(LIVE)).toEqual(['pending']);
  });

  it.each(['pending', 'active', 'suspended', 'error'] as const)(
    'deleted revokes one that is %s, and its tokens are gone',
    async (status) => {
      await bench.connect(LIVE, status);
      const answer = await bench.installation('deleted', LIVE);
      expect([answer.body, await bench.statuses(LIVE)]).toEqual([
        expect.objectContaining({ handled: 'deleted', status: 'revoked' }),
        ['revoked'],
      ]);
    },
  );

  it.each<[action: string, before: ConnectionStatus, id: string, after: ConnectionStatus]>([
    ['suspend', 'active', SUSPENDED, 'suspended'],
    // The host contradicts an event that came late.
    ['suspend', 'active', LIVE, 'active'],
    ['suspend', 'suspended', LIVE, 'active'],
    ['suspend', 'active', GONE, 'revoked'],
    ['unsuspend', 'suspended', LIVE, 'active'],
    ['unsuspend', 'suspended', SUSPENDED, 'suspended'],
    ['unsuspend', 'active', SUSPENDED, 'suspended'],
    ['unsuspend', 'suspended', GONE, 'revoked'],
    ['unsuspend', 'pending', GONE, 'revoked'],
    // Only an approval makes an installation that was merely discovered active, whatever events come.
    ['suspend', 'pending', SUSPENDED, 'pending'],
    ['unsuspend', 'pending', LIVE, 'pending'],
    ['unsuspend', 'error', LIVE, 'error'],
  ])('%s of one that is %s is what the host says of %s: %s', async (action, before, id, after) => {
    await bench.connect(id, before);
    const answer = await bench.installation(action, id);
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ handled: action, status: after })]);
    expect(await bench.statuses(id)).toEqual([after]);
  });

  it('is believed when the host cannot be asked, as far as it takes authority away', async () => {
    await bench.connect(LIVE, 'active');
    bench.bench.host.rest.failWith = 503;
    await bench.installation('suspend', LIVE);
    expect(await bench.statuses(LIVE)).toEqual(['suspended']);
    await bench.installation('unsuspend', LIVE);
    expect(await bench.statuses(LIVE)).toEqual(['suspended']);
  });

  it('a discovered installation cannot become active by suspending and unsuspending it', async () => {
    await bench.installation('created', LIVE);
    bench.bench.host.rest.failWith = 503;
    await bench.installation('suspend', LIVE);
    bench.bench.host.rest.failWith = null;
    await bench.installation('unsuspend', LIVE);
    expect(await bench.statuses(LIVE)).toEqual(['pending']);
  });

  it.each(['created', 'deleted', 'suspend', 'unsuspend'])(
    '%s never touches what was entered by hand or is of another registration, nor revives',
    async (action) => {
      const hand = await bench.connect(GONE, 'active', null);
      const answer = await bench.installation(action, GONE);
      expect([answer.status, answer.body, await bench.connections(GONE)]).toEqual([
        202,
        { ignored: 'installation', installation_id: '777' },
        [hand],
      ]);
      const other = await bench.connect(SUSPENDED, 'active', await bench.register());
      expect([(await bench.installation(action, SUSPENDED)).status, await bench.connections(SUSPENDED)]).toEqual([
        202,
        [other],
      ]);
      const revoked = await bench.connect(LIVE, 'revoked');
      await bench.installation(action, LIVE);
      expect(await bench.connections(LIVE)).toEqual([revoked]);
    },
  );

  it('other actions are ignored: all that GitHub recorded', async () => {
    await bench.connect('957387', 'active');
    const recorded = recordedWebhooks().filter(
      ({ name, payload }) => name === 'installation' && payload['action'] === 'new_permissions_accepted',
    );
    expect(recorded.length).toBeGreaterThan(0);
    for (const { payload } of recorded)
      expect((await bench.send('installation', payload)).body).toEqual({ ignored: 'installation' });
  });
});
