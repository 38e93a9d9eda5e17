import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { insertAppFlow } from '../../../src/core/codehost/app-flow-records.js';
import { connectInstallation, type InstallationOutcome } from '../../../src/core/codehost/connect-installation.js';
import type { ConnectionStatus } from '../../../src/domain/connections/connection.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createOrganization } from '../../support/runs/run-fixture.js';

let test: TestDatabase;
let organizationId: string;
let registration: string;
let elsewhere: string;
let installations = 100;

beforeAll(async () => {
  test = await createTestDatabase();
  ({ organizationId } = await createOrganization(test.db));
  [registration, elsewhere] = [await register(), await register()];
});
afterAll(() => test?.close());

async function register(status = 'active'): Promise<string> {
  const id = uuidv7();
  await test.owner.query(
    `insert into github_app_registrations (id, tenant_id, status, target_kind, app_id, slug, pem_sealed)
     values ($1, $2, $3, 'personal', '99', 'acme-app', 'x')`,
    [id, organizationId, status],
  );
  return id;
}

/** @param by the registration that it lives by; null for one that was entered by hand */
async function connection(installation: string, status: ConnectionStatus, by: string | null): Promise<string> {
  const id = uuidv7();
  await test.owner.query(
    `insert into integration_connections (id, tenant_id, provider, external_account_id, display_name, status, auth_kind, owner_type,
       registration_id) values ($1, $2, 'codehost_app', $3, 'before', $4, 'static', 'organization', $5)`,
    [id, organizationId, installation, status, by],
  );
  return id;
}

type Via = 'setup' | 'sync' | 'webhook';

function connect(id: string, via: Via, suspended = false, registrationId = registration): Promise<InstallationOutcome> {
  const app = { registrationId, appId: '99', slug: 'acme-app' };
  return test.db.withTenant(organizationId, (tx) =>
    connectInstallation(tx, app, { id, accountLogin: 'acme', suspended }, { via }),
  );
}

async function rows(installation: string) {
  const { rows } = await test.owner.query<{ id: string; status: string; metadata: object; display_name: string }>(
    'select id, status, metadata, display_name from integration_connections where external_account_id = $1 order by id',
    [installation],
  );
  return rows;
}

const METADATA = { app_id: '99', app_slug: 'acme-app', account_login: 'acme' };

describe('an installation becomes a connection', () => {
  it.each<[Via, boolean, string]>([
    ['setup', false, 'active'],
    ['setup', true, 'suspended'],
    ['sync', false, 'active'],
    ['sync', true, 'suspended'],
    ['webhook', false, 'pending'],
    ['webhook', true, 'pending'],
  ])('CP-154 by %s, unknown before, suspended at the host: %s → %s', async (via, suspended, status) => {
    const installation = String((installations += 1));
    const outcome = await connect(installation, via, suspended);
    expect(outcome).toMatchObject({
      outcome: 'connected',
      connection: {
        status,
        display_name: 'acme-app → acme',
        registration_id: registration,
        owner_type: 'organization',
        auth_kind: 'static',
        authorization_generation: 1,
        metadata: { ...METADATA, installation_id: installation, registration_id: registration },
      },
    });
    expect(await rows(installation)).toMatchObject([{ status }]);
  });

  it.each<[Via, ConnectionStatus, boolean, string, ConnectionStatus]>([
    ...(['setup', 'sync'] as const).flatMap((via) => [
      ...(['pending', 'suspended', 'error', 'active'] as const).flatMap((before) => [
        [via, before, false, 'connected', 'active'] as [Via, ConnectionStatus, boolean, string, ConnectionStatus],
        [via, before, true, 'connected', 'suspended'] as [Via, ConnectionStatus, boolean, string, ConnectionStatus],
      ]),
      [via, 'revoked', false, 'refused', 'revoked'] as [Via, ConnectionStatus, boolean, string, ConnectionStatus],
    ]),
    ...(['pending', 'suspended', 'error', 'active', 'revoked'] as const).map(
      (before) =>
        ['webhook', before, true, 'known', before] as [Via, ConnectionStatus, boolean, string, ConnectionStatus],
    ),
  ])('by %s, ours and %s, suspended at the host: %s → %s and %s', async (via, before, suspended, said, after) => {
    const installation = String((installations += 1));
    const id = await connection(installation, before, registration);
    const outcome = await connect(installation, via, suspended);
    expect(outcome).toMatchObject(said === 'refused' ? { outcome: said, reason: 'revoked' } : { outcome: said });
    const metadata = said === 'connected' ? { ...METADATA, installation_id: installation } : {};
    expect(await rows(installation)).toMatchObject([{ id, status: after, metadata, display_name: 'before' }]);
  });

  it.each<[Via, ConnectionStatus, 'by hand' | 'through another registration']>(
    (['setup', 'sync', 'webhook'] as const).flatMap((via) =>
      (['active', 'pending', 'revoked'] as const).flatMap((status) => [
        [via, status, 'by hand'] as [Via, ConnectionStatus, 'by hand'],
        [via, status, 'through another registration'] as [Via, ConnectionStatus, 'through another registration'],
      ]),
    ),
  )('by %s, %s and entered %s: left as it is', async (via, status, custody) => {
    const installation = String((installations += 1));
    const id = await connection(installation, status, custody === 'by hand' ? null : elsewhere);
    expect(await connect(installation, via)).toEqual({ outcome: 'refused', reason: 'other_custody' });
    expect(await rows(installation)).toMatchObject([{ id, status, metadata: {} }]);
  });

  it('that is live elsewhere is not taken over, though ours was revoked; one of ours that is live counts', async () => {
    const [one, other] = [String((installations += 1)), String((installations += 1))];
    await connection(one, 'revoked', registration);
    await connection(one, 'active', null);
    expect(await connect(one, 'sync')).toEqual({ outcome: 'refused', reason: 'other_custody' });
    await connection(other, 'revoked', null);
    await connection(other, 'error', registration);
    expect(await connect(other, 'sync')).toMatchObject({ outcome: 'connected', connection: { status: 'active' } });
  });

  it('under a registration that is not active, or not there, nothing is connected', async () => {
    const installation = String((installations += 1));
    for (const registrationId of [await register('revoked'), uuidv7()])
      for (const via of ['setup', 'sync', 'webhook'] as const)
        expect(await connect(installation, via, false, registrationId)).toEqual({
          outcome: 'refused',
          reason: 'registration_inactive',
        });
    expect(await rows(installation)).toEqual([]);
  });

  it('told of twenty times at once it is one connection', async () => {
    const installation = String((installations += 1));
    const ways: Via[] = ['setup', 'sync', 'webhook', 'sync'];
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => connect(installation, ways[n % 4] ?? 'sync')),
    );
    expect(outcomes.every(({ outcome }) => outcome !== 'refused')).toBe(true);
    expect(await rows(installation)).toMatchObject([{ status: 'active' }]);
  });
});

describe('flows that are over', () => {
  it('are forgotten when the next one starts: unfinished ones at once, finished ones after seven days', async () => {
    const ages = { late: [null, '1 second'], done: ['now()', '6 days'], old: ['now()', '8 days'] } as const;
    const ids = new Map<string, string>();
    for (const [name, [consumed, age]] of Object.entries(ages)) {
      const id = uuidv7();
      ids.set(id, name);
      await test.owner.query(
        `insert into github_app_flows (id, tenant_id, registration_id, purpose, consumed_at, expires_at)
         values ($1, $2, $3, 'install', ${consumed ?? 'null'}, now() - $4::interval)`,
        [id, organizationId, registration, age],
      );
    }
    const fresh = { flowId: uuidv7(), registrationId: registration, purpose: 'install' } as const;
    ids.set(fresh.flowId, 'fresh');
    await test.db.withTenant(organizationId, (tx) => insertAppFlow(tx, fresh));
    const { rows: left } = await test.owner.query<{ id: string; secs: number }>(
      'select id, round(extract(epoch from expires_at - created_at))::int as secs from github_app_flows',
    );
    expect(left.map(({ id }) => ids.get(id)).toSorted()).toEqual(['done', 'fresh']);
    expect(left.find(({ id }) => id === fresh.flowId)?.secs).toBe(3600);
  });
});
