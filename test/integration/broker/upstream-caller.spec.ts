import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { CallTargets } from '../../../src/core/broker/call-targets.js';
import { BrokeredUpstream } from '../../../src/core/broker/upstream-caller.js';
import type { CallTarget, UpstreamResult } from '../../../src/core/broker/upstream-call.js';
import { UpstreamSessions } from '../../../src/core/broker/upstream-sessions.js';
import {
  createConnectionServices,
  type ConnectionServices,
} from '../../../src/core/connections/connection-services.js';
import { Egress } from '../../../src/platform/egress/egress.js';
import type { GuardedClient } from '../../../src/platform/egress/guarded-client.js';
import { OutboundLimits } from '../../../src/core/broker/outbound-limits.js';
import { createSealer } from '../../../src/core/seal/create-sealer.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { loopbackEgress } from '../../support/mcp/broker-client.js';
import { ECHO, HostileServer } from '../../support/mcp/hostile-server.js';
import { TestUsers } from '../../support/api/users.js';
import { until } from '../../support/time/until.js';
import { withinOneMinute } from '../../support/time/within-one-minute.js';
import {
  bindConnection,
  boundBy,
  moveConnection,
  type BoundConnection,
} from '../../support/broker/bound-connection.js';

const KEYS = { kmsMode: 'static', staticKek: randomBytes(32), credentialKey: null } as const;
const LIMITS = {
  tenantPerMin: 0,
  userPerMin: 2,
  connectionPerMin: 3,
  hostPerMin: 0,
  breakerThreshold: 2,
  breakerOpenSecs: 60,
  durable: true,
};

let database: TestDatabase;
let egress: Egress;
let server: HostileServer;
let services: ConnectionServices;
let callerThrough: (client: GuardedClient) => BrokeredUpstream;
let upstream: BrokeredUpstream;
let targets: CallTargets;
/** Tokens as an authorization server would give them, one after the other. */
let tokens: string[];
let minted: number;
const rejected: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  egress = loopbackEgress();
  server = await HostileServer.start({ tools: [ECHO], authorization: 'Bearer second' });
  const sealer = createSealer(database.db, KEYS);
  const source = {
    get: () => Promise.resolve(tokens[Math.min(minted, tokens.length - 1)]!),
    reject: (_connection: string, _generation: number, token: string) => {
      rejected.push(token);
      minted += 1;
    },
    evict: () => undefined,
  };
  services = createConnectionServices({ database: database.db, sealer, egress: egress.guarded, tokens: source });
  const { records, credentials } = services;
  targets = new CallTargets(database.db);
  callerThrough = (client) =>
    new BrokeredUpstream({
      sessions: new UpstreamSessions({ database: database.db, client, records }),
      targets,
      credentials,
      tokens: source,
      records,
      limits: new OutboundLimits(LIMITS, {
        pool: database.db.pool,
        registry: new Registry(),
        log: { warn: () => undefined },
      }),
    });
  upstream = callerThrough(egress.guarded);
});

beforeEach(() => {
  tokens = ['first', 'second'];
  minted = 0;
});

afterEach(() => {
  server.always('tools/call', null);
  server.authorization = 'Bearer second';
});

afterAll(async () => {
  await server?.close();
  await egress?.close();
  await database?.close();
});

const bind = (kind: 'oauth' | 'static', baseUrl?: string): Promise<BoundConnection> =>
  bindConnection({ database, services, egress, server }, kind, baseUrl);

/** Calls a tool whose server has moved behind a name that leads to this address; dials are counted and made to fail. */
async function callAt(address: string): Promise<{ result: UpstreamResult; opened: number }> {
  const { target, connectionId } = await bind('static');
  let opened = 0;
  const strict = new Egress(
    { allowCidrs: [], proxy: null },
    {
      resolve: () => Promise.resolve([address]),
      openTcp: () => {
        opened += 1;
        return Promise.reject(Object.assign(new Error('refused by the test'), { code: 'ECONNREFUSED' }));
      },
    },
  );
  const url = 'https://tools.example.com/mcp';
  await moveConnection(database, connectionId, url);
  const moved = { ...target, toolSet: { ...target.toolSet, url } };
  try {
    const result = await callerThrough(strict.guarded).call(moved, 'echo', '{}', AbortSignal.timeout(90_000));
    return { result, opened };
  } finally {
    await strict.close();
  }
}

function call(target: CallTarget, message: string): Promise<UpstreamResult> {
  return upstream.call(target, 'echo', JSON.stringify({ message }), AbortSignal.timeout(90_000));
}

const unsent = (why: string) => ({ state: 'failed_before_send', error: expect.stringContaining(why) as unknown });

/** An authorization check holds for a fifth of a second. */
const PAST_CHECK_MS = 300;

async function come(condition: () => boolean): Promise<void> {
  expect(await until(condition, Boolean)).toBe(true);
}

const arrived = (message: string): number => server.calls.filter(({ text }) => text.includes(message)).length;

describe('a call whose claim is taken', () => {
  it('CP-159 CP-161 is repeated once, with another token, where the upstream refused this one', async () => {
    const { target } = await bind('oauth');
    expect(await call(target, 'renewed')).toMatchObject({ state: 'succeeded' });
    expect(rejected.splice(0)).toEqual(['first']);
    expect(arrived('renewed')).toBe(1);
  });

  it('CP-161 is answered for good where the next token is refused too', async () => {
    const { target } = await bind('oauth');
    tokens = ['first', 'third'];
    expect(await call(target, 'refused')).toMatchObject({ state: 'failed_upstream', answer: { isError: true } });
    expect(rejected.splice(0)).toEqual(['first']);
    expect(arrived('refused')).toBe(0);
  });

  it('CP-160 is not repeated where the binding has gone meanwhile: nothing was sent', async () => {
    const { target, connectionId } = await bind('oauth');
    const revoked = Promise.withResolvers<void>();
    server.next('initialize', { kind: 'held', until: revoked.promise });
    server.authorization = undefined;
    server.always('tools/list', { kind: 'status', status: 401 });
    const before = server.arrivals.length;
    const calling = call(target, 'revoked');
    await come(() => server.arrivals.length > before);
    await services.records.revoke(target.organizationId, connectionId);
    revoked.resolve();
    expect(await calling).toMatchObject(unsent('is revoked'));
    server.always('tools/list', null);
    expect(arrived('revoked')).toBe(0);
    rejected.splice(0);
  });

  it('CP-160 is not sent where the connection was revoked while the server was asked for its tools', async () => {
    const { target, connectionId } = await bind('static');
    server.authorization = 'Bearer a static key';
    const revoked = Promise.withResolvers<void>();
    server.next('tools/list', { kind: 'held', until: revoked.promise });
    const calling = call(target, 'revoked meanwhile');
    await come(() => server.arrivals.at(-1)?.method === 'tools/list');
    await services.records.revoke(target.organizationId, connectionId);
    await delay(PAST_CHECK_MS);
    revoked.resolve();
    expect(await calling).toMatchObject(unsent('is revoked'));
    expect(arrived('revoked meanwhile')).toBe(0);
    const later = await call(target, 'revoked before');
    expect(later).toEqual({ state: 'failed_before_send', error: 'the connection is revoked — reconnect it' });
  });

  it.each([
    ['just before its turn', 0],
    ['long before its turn', PAST_CHECK_MS],
  ])('CP-160 is not sent where its run was stopped while it waited behind another, %s', async (_when, sinceMs) => {
    const { target } = await bind('static');
    server.authorization = 'Bearer a static key';
    const stopped = Promise.withResolvers<void>();
    server.next('tools/call', { kind: 'held', until: stopped.promise });
    const ahead = call(target, `ahead by ${sinceMs}`);
    await come(() => arrived(`ahead by ${sinceMs}`) === 1);
    const behind = call(target, `behind by ${sinceMs}`);
    await database.owner.query(`update sessions set status = 'cancelling' where id = $1`, [target.runId]);
    await delay(sinceMs);
    stopped.resolve();
    expect(await ahead).toMatchObject({ state: 'succeeded' });
    expect(await behind).toMatchObject(unsent('the run was stopped before the call was sent'));
    expect(arrived(`behind by ${sinceMs}`)).toBe(0);
  });

  it('CP-161 with a static key is refused for good, and its connection stays as it is', async () => {
    const { target, connectionId } = await bind('static');
    expect(await call(target, 'static')).toMatchObject({ state: 'failed_upstream' });
    expect(rejected).toEqual([]);
    expect((await services.records.read(target.organizationId, connectionId))?.status).toBe('active');
  });

  it('CP-123 that lacks a scope is refused for good, and an OAuth connection asks to be connected again', async () => {
    const { target, connectionId } = await bind('oauth');
    minted = 1;
    const challenge = 'Bearer error="insufficient_scope", scope="files:write"';
    server.next('tools/call', { kind: 'status', status: 403, headers: { 'www-authenticate': challenge } });
    const result = await call(target, 'scope');
    expect(result).toMatchObject({
      state: 'failed_upstream',
      error: expect.stringContaining('insufficient scope') as unknown,
    });
    const connection = await services.records.read(target.organizationId, connectionId);
    expect(connection).toMatchObject({
      status: 'error',
      oauth: { error: expect.stringContaining('files:write') as unknown },
    });
    expect(arrived('scope')).toBe(1);
  });

  it('CP-160 beyond the limit of its connection, or behind an open breaker, is not sent', async () => {
    const { target } = await bind('oauth');
    minted = 1;
    await withinOneMinute(database, async () => {
      for (let time = 0; time < 3; time += 1) expect((await call(target, 'within')).state).toBe('succeeded');
      expect(await call(target, 'beyond')).toMatchObject(unsent('outbound rate limit reached (scope connection'));
    });
    const other = await bind('oauth');
    minted = 1;
    server.next('tools/call', { kind: 'status', status: 503 }, { kind: 'status', status: 503 });
    for (let time = 0; time < 2; time += 1) expect((await call(other.target, 'broken')).state).toBe('failed_upstream');
    expect(await call(other.target, 'open')).toMatchObject(unsent('upstream circuit breaker open'));
    expect([arrived('beyond'), arrived('open')]).toEqual([0, 0]);
  });

  it('CP-160 beyond the limit of the person who started the run is not sent, whatever connection it goes through', async () => {
    const first = await bind('static');
    const { userId } = await new TestUsers().add(database.db, first.target.organizationId, 'member');
    const target = await boundBy(database, first, userId);
    await withinOneMinute(database, async () => {
      for (let time = 0; time < 2; time += 1) expect((await call(target, 'of a person')).state).toBe('failed_upstream');
      expect(await call(target, 'too much')).toMatchObject(unsent('outbound rate limit reached (scope user'));
      expect((await call(first.target, 'of the operator')).state).toBe('failed_upstream');
    });
    expect(arrived('too much')).toBe(0);
  });

  it.each([
    ['loopback', '127.0.0.1'],
    ['private', '10.0.0.1'],
    ['link-local', '169.254.1.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['cloud metadata', '169.254.169.254'],
    ['loopback again, as IPv6 writes it', '::ffff:127.0.0.1'],
  ])(
    'CP-032 to a name that leads to an address that is %s is not sent, nor is a connection opened',
    async (_class, address) => {
      const { result, opened } = await callAt(address);
      expect(result).toMatchObject({ state: 'failed_before_send', error: expect.stringMatching(/address/) as unknown });
      expect(opened).toBe(0);
    },
  );

  it('CP-032 to the same name is dialled where it leads outside', async () => {
    expect(await callAt('93.184.216.34')).toMatchObject({ result: { state: 'failed_before_send' }, opened: 1 });
  });

  it('CP-160 to an address outside of its connection is not sent', async () => {
    const { target } = await bind('oauth', `${server.url}/inner`);
    expect(await call(target, 'outside')).toMatchObject(unsent('outside'));
    expect(arrived('outside')).toBe(0);
  });
});
