import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import type { ConnectionStatus } from '../../../src/domain/connections/connection.js';
import {
  createConnectionServices,
  type ConnectionServices,
} from '../../../src/core/connections/connection-services.js';
import { CONNECTION_SECRETS, type ConnectionSecret } from '../../../src/core/connections/connection-secrets.js';
import type { NewConnection } from '../../../src/core/connections/connection-rows.js';
import { Egress } from '../../../src/platform/egress/egress.js';
import { createAccessTokens } from '../../../src/core/oauth/access-tokens.js';
import type { SealKeys } from '../../../src/platform/seal/sealer.js';
import { createSealer } from '../../../src/core/seal/create-sealer.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createOrganization } from '../../support/runs/run-fixture.js';
import { TokenEndpoint } from '../../support/oauth/token-endpoint.js';

const KEYS: SealKeys = { kmsMode: 'static', staticKek: randomBytes(32), credentialKey: null };

let test: TestDatabase;
let egress: Egress;
/** Two processes of one deployment: an API and a worker. */
let api: ConnectionServices;
let worker: ConnectionServices;
let organizationId: string;
beforeAll(async () => {
  test = await createTestDatabase();
  egress = new Egress({ allowCidrs: ['127.0.0.0/8'], proxy: null });
  const start = async (): Promise<ConnectionServices> => {
    const database = await test.connect({ poolSize: 4 });
    const [sealer, client] = [createSealer(database, KEYS), egress.guarded];
    const tokens = createAccessTokens({ database, sealer, client });
    return createConnectionServices({ database, sealer, egress: client, tokens });
  };
  [api, worker] = await Promise.all([start(), start()]);
  ({ organizationId } = await createOrganization(test.db));
});
afterAll(async () => {
  await egress.close();
  await test.close();
});

/** A connection with a secret in each of its sealed columns. */
async function plant(change: Partial<NewConnection> = {}): Promise<string> {
  const id = uuidv7();
  const seal = (secret: ConnectionSecret) =>
    api.secrets.seal({ organizationId, connectionId: id }, secret, `${secret} of ${id}`);
  await api.records.insert(organizationId, {
    id,
    provider: 'mcp_http',
    external_account_id: 'mcp.example.com',
    display_name: 'Tracker',
    status: 'active',
    auth_kind: 'static',
    owner_type: 'organization',
    owner_user_id: null,
    created_by_user_id: null,
    metadata: { base_url: 'https://mcp.example.com/', scheme: '' },
    credential: await seal('credential'),
    webhookSecret: await seal('webhook_secret'),
    clientSecret: await seal('client_secret'),
    ...change,
  });
  return id;
}

/** The result of one process for one secret: the text, null, or the code of the refusal. */
async function readEach(services: ConnectionServices, connectionId: string): Promise<(string | null)[]> {
  const { secrets } = services;
  const ref = { organizationId, connectionId };
  const reads = [secrets.credential(ref, null), secrets.webhookSecret(ref), secrets.clientSecret(ref)];
  return Promise.all(reads.map((read) => read.catch((error: { code: string }) => error.code)));
}

const headers = (services: ConnectionServices, connectionId: string, generation = 1) =>
  services.credentials.headersFor({ organizationId, connectionId, generation });

describe('secrets of a connection', () => {
  it('CP-289 open in every process that has the key', async () => {
    const id = await plant();
    for (const services of [api, worker]) {
      expect(await readEach(services, id)).toEqual(CONNECTION_SECRETS.map((secret) => `${secret} of ${id}`));
      expect(await headers(services, id)).toEqual({ headers: { authorization: `credential of ${id}` } });
    }
  });

  it.each<[ConnectionStatus, boolean]>([
    ['pending', true],
    ['suspended', true],
    ['error', true],
    ['revoked', false],
  ])('CP-290 in status %s no credential opens', async (status, keepsClientSecret) => {
    const id = await plant();
    await test.owner.query('update integration_connections set status = $2 where id = $1', [id, status]);
    expect(await readEach(worker, id)).toEqual(['conflict', null, keepsClientSecret ? `client_secret of ${id}` : null]);
    await expect(headers(worker, id)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`is ${status} — reconnect it`),
    });
  });

  it('CP-290 a revoke in one process is seen by the next use in another, and takes the sealed bytes with it', async () => {
    const id = await plant();
    expect((await headers(worker, id)).headers).toEqual({ authorization: `credential of ${id}` });
    await api.records.revoke(organizationId, id);
    await expect(headers(worker, id)).rejects.toMatchObject({ code: 'conflict' });
    const { rows } = await test.owner.query(
      `select num_nonnulls(credential_sealed, webhook_secret_sealed, client_secret_sealed) as left
         from integration_connections where id = $1`,
      [id],
    );
    expect(rows).toEqual([{ left: 0 }]);
  });

  it('CP-290 a use under another generation than the connection’s is refused', async () => {
    const id = await plant();
    await expect(headers(worker, id, 2)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('was reauthorized'),
    });
    await expect(worker.secrets.credential({ organizationId, connectionId: id }, 2)).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('a connection without a credential sends none, and one of nobody is refused', async () => {
    const id = await plant({ auth_kind: 'none', credential: null });
    expect(await headers(worker, id)).toEqual({ headers: {} });
    await expect(headers(worker, uuidv7())).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('access tokens of a revoked connection', () => {
  it('CP-156 CP-290 are used no more, in the process that revoked and in the one that holds one', async () => {
    const endpoint = await TokenEndpoint.start({ access_token: 'the-access-token', refresh_token: 'rotated' });
    try {
      const oauth = {
        resource: 'https://mcp.example.com',
        scopes: [],
        issuer: endpoint.url,
        token_endpoint: `${endpoint.url}/token`,
        client_id: 'by-hand',
        client_id_source: 'preregistered' as const,
      };
      const id = await plant({ auth_kind: 'oauth', oauth });
      for (const services of [worker, api]) {
        expect(await headers(services, id)).toMatchObject({ accessToken: 'the-access-token' });
      }
      expect(endpoint.requests).toHaveLength(1);
      await api.records.revoke(organizationId, id);
      api.caches.evict(id);
      for (const services of [worker, api]) {
        await expect(headers(services, id)).rejects.toMatchObject({ code: 'conflict' });
      }
      const { rows } = await test.owner.query('select 1 from connector_access_tokens where connection_id = $1', [id]);
      expect(rows).toEqual([]);
      expect(endpoint.requests).toHaveLength(1);
    } finally {
      await endpoint.close();
    }
  });
});

describe('moves of a connection', () => {
  const oauth = { resource: 'https://mcp.example.com', scopes: [], activated_at: '2026-01-01T00:00:00Z' };

  it('CP-123 an active OAuth connection is marked for reconnecting, keeping what it knows', async () => {
    const id = await plant({ auth_kind: 'oauth', oauth });
    expect(await api.records.markReconnectNeeded(organizationId, id, 2, 'another generation')).toBe(false);
    expect(await api.records.markReconnectNeeded(organizationId, id, 1, 'connect it again')).toBe(true);
    expect(await api.records.markReconnectNeeded(organizationId, id, 1, 'twice')).toBe(false);
    expect(await api.records.read(organizationId, id)).toMatchObject({
      status: 'error',
      authorization_generation: 1,
      oauth: { ...oauth, error: 'connect it again' },
    });
  });

  it('a static connection is never marked', async () => {
    const id = await plant();
    expect(await api.records.markReconnectNeeded(organizationId, id, 1, 'an upstream said so')).toBe(false);
    expect(await api.records.read(organizationId, id)).toMatchObject({ status: 'active' });
  });

  it.each([
    ['the owner', `owner_type = 'user', owner_user_id = null`],
    ['the kind of authorization', `auth_kind = 'none'`],
    ['the provider', `provider = 'codehost'`],
    ['the status of a revoked one', `status = 'active'`],
    ['CP-124 the generation of one that is not OAuth', `authorization_generation = 2`],
  ])('the record refuses to change %s', async (_what, assignment) => {
    const id = await plant();
    await api.records.revoke(organizationId, id);
    await expect(
      test.db.withTenant(organizationId, (tx) =>
        tx.query(`update integration_connections set ${assignment} where id = $1`, [id]),
      ),
    ).rejects.toThrow(/cannot change|is revoked|grows by one|check constraint/);
  });

  it('CP-124 the generation of an OAuth connection grows by one at a time and never falls', async () => {
    const id = await plant({ auth_kind: 'oauth', oauth });
    const set = (generation: number) =>
      test.db.withTenant(organizationId, (tx) =>
        tx.query('update integration_connections set authorization_generation = $2 where id = $1', [id, generation]),
      );
    await set(2);
    for (const generation of [1, 4]) await expect(set(generation)).rejects.toThrow(/grows by one/);
  });
});
