import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { checkSealing } from '../../../src/core/seal/boot-checks.js';
import type { SealedPlace, SealKeys } from '../../../src/platform/seal/sealer.js';
import { createSealer } from '../../../src/core/seal/create-sealer.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { plantRow, readTenantTables, type Table } from '../../support/database/planted-rows.js';
import { createOrganization } from '../../support/runs/run-fixture.js';

/**
 * Every sealed column, and the name under which its values are bound to it. Whoever adds one adds it here: what is not listed
 * would be neither counted at boot nor part of the proof below.
 */
const SEALED_COLUMNS: Record<string, string> = {
  'connector_access_tokens.token_sealed': 'connector_access_tokens.token',
  'connector_oauth_flows.pkce_verifier_sealed': 'connector_oauth_flows.pkce_verifier',
  'github_app_registrations.client_secret_sealed': 'github_app_registrations.client_secret',
  'github_app_registrations.pem_sealed': 'github_app_registrations.pem',
  'github_app_registrations.webhook_secret_sealed': 'github_app_registrations.webhook_secret',
  'integration_connections.client_secret_sealed': 'integration_connections.client_secret',
  'integration_connections.credential_sealed': 'integration_connections.credential',
  'integration_connections.webhook_secret_sealed': 'integration_connections.webhook_secret',
  'login_flows.pkce_verifier_sealed': 'login_flows.pkce_verifier',
  'oauth_client_registrations.client_secret_sealed': 'oauth_client_registrations.client_secret',
  'oauth_client_registrations.registration_access_token_sealed': 'oauth_client_registrations.registration_access_token',
  'org_idp_configs.client_secret_sealed': 'org_idp_configs.client_secret',
  'pending_login_switches.id_token_sealed': 'pending_login_switches.id_token',
  'tool_call_payloads.sealed': 'tool_call_payloads.sealed',
  'trigger_subscriptions.callback_secret_sealed': 'trigger_subscriptions.callback_secret',
  'user_sessions.id_token_sealed': 'user_sessions.id_token',
};
const SWAPS = 1_000;

const kek = randomBytes(32);
const credentialKey = randomBytes(32);
const STATIC: SealKeys = { kmsMode: 'static', staticKek: kek, credentialKey: null };
const LEGACY: SealKeys = { kmsMode: 'off', staticKek: null, credentialKey };

interface SealedColumn {
  table_name: string;
  sealed: string;
  key_version: string;
}

let test: TestDatabase;
let columns: SealedColumn[];
let tables: Table[];
beforeAll(async () => {
  test = await createTestDatabase();
  columns = (await test.owner.query<SealedColumn>('select * from svc_sealed_columns()')).rows;
  tables = await readTenantTables(test);
});
afterAll(() => test.close());

const nameOf = ({ table_name, sealed }: SealedColumn): string => `${table_name}.${sealed}`;

function tableOf({ table_name }: SealedColumn): Table {
  const table = tables.find(({ name }) => name === table_name);
  if (table === undefined) throw new Error(`no table ${table_name}`);
  return table;
}

describe('sealed columns', () => {
  it('are those of the list, each beside the column that says how it is sealed', async () => {
    expect(columns.map(nameOf)).toEqual(Object.keys(SEALED_COLUMNS));
    const { rows } = await test.owner.query<{ name: string }>(
      `select c.relname || '.' || a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attname ~ 'sealed$' order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(columns.map(nameOf));
  });

  it('every one is counted at boot, per version, and refuses a boot that could not open it', async () => {
    const fresh = await createTestDatabase();
    try {
      const { organizationId } = await createOrganization(fresh.db);
      expect((await fresh.db.pool.query('select * from svc_sealed_rows()')).rows).toEqual([]);
      for (const version of [1, 2]) {
        for (const column of columns) {
          const others = columns
            .filter(({ table_name }) => table_name === column.table_name)
            .map(({ sealed }) => sealed);
          const nullable = others.filter((other) => other !== column.sealed);
          await plantRow(fresh, tableOf(column), organizationId, {
            ...Object.fromEntries(nullable.map((other) => [other, 'null'])),
            [column.sealed]: `'\\x00'`,
            [column.key_version]: String(version),
            // One of its kind in an organization, where a table has it.
            generation: String(version),
          });
        }
        const counted = (await fresh.db.pool.query('select * from svc_sealed_rows() where key_version = $1', [version]))
          .rows as { place: string; rows: string }[];
        expect(counted.map(({ place, rows }) => [place, rows])).toEqual(columns.map((column) => [nameOf(column), '1']));
      }
      const listed = new RegExp(columns.map((column) => `${nameOf(column).replace('.', '\\.')} 1`).join(', '));
      await expect(checkSealing(fresh.db, { ...STATIC, staticKek: kek }, organizationId)).rejects.toThrow(listed);
      await expect(checkSealing(fresh.db, LEGACY, organizationId)).rejects.toThrow(listed);
    } finally {
      await fresh.close();
    }
  });
});

/** A value as it rests in a row. */
interface Resting {
  column: SealedColumn;
  place: SealedPlace;
  bytes: Buffer;
}

describe(`${SWAPS} swaps of what rests sealed`, () => {
  const resting: Resting[] = [];
  const sealer = (): ReturnType<typeof createSealer> => createSealer(test.db, STATIC);

  beforeAll(async () => {
    const organizations = await Promise.all(Array.from({ length: 3 }, () => createOrganization(test.db)));
    const writer = sealer();
    for (const { organizationId } of organizations) {
      for (const column of columns) {
        for (let row = 0; row < 3; row += 1) {
          const place = { organizationId, column: SEALED_COLUMNS[nameOf(column)] ?? '', row: uuidv7() };
          const { bytes } = await writer.seal(place, 'the same text everywhere');
          resting.push({ column, place, bytes });
        }
      }
    }
  });

  it('proof 21: each is refused, to another organization, column or row; the value in its place opens', async () => {
    const reader = sealer();
    const pairs = resting.flatMap((from, i) => resting.flatMap((to, j) => (i === j ? [] : [{ from, to }])));
    // Spread over all kinds of pairs, the same ones in every run.
    const step = Math.floor(pairs.length / SWAPS);
    const chosen = pairs.filter((_, index) => index % step === 0);
    const kinds = { organization: 0, column: 0, row: 0 };
    for (const { from, to } of chosen) {
      await expect(reader.open(to.place, from.bytes, 2)).rejects.toMatchObject({ code: 'internal' });
      if (from.place.organizationId !== to.place.organizationId) kinds.organization += 1;
      else if (from.place.column !== to.place.column) kinds.column += 1;
      else kinds.row += 1;
    }
    expect(chosen.length).toBeGreaterThanOrEqual(SWAPS);
    for (const swaps of Object.values(kinds)) expect(swaps).toBeGreaterThan(0);
    for (const { place, bytes } of resting) {
      expect((await reader.open(place, bytes, 2)).toString()).toBe('the same text everywhere');
    }
  });

  it('proof 21: a byte that was changed in a value of any column is refused', async () => {
    const reader = sealer();
    for (const [index, { place, bytes }] of resting.entries()) {
      const altered = Buffer.from(bytes);
      const at = (index * 7) % altered.length;
      altered.writeUInt8(altered.readUInt8(at) ^ (1 << (index % 8)), at);
      await expect(reader.open(place, altered, 2)).rejects.toMatchObject({ code: 'internal' });
    }
  });
});
