import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { checkRuntimeRoles } from '../../../src/platform/postgres/runtime-role.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';

/** Roles belong to the whole server, on which other specs run: these are of this spec alone. */
const SUFFIX = randomBytes(6).toString('hex');
const [APP, SYSTEM, OTHER] = [`posture_app_${SUFFIX}`, `posture_system_${SUFFIX}`, `posture_other_${SUFFIX}`] as const;
const ROLES = [APP, SYSTEM] as const;
const SINGLE = { requireSso: false, allowRlsBypass: false };
const MULTI = { requireSso: true, allowRlsBypass: false };

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
beforeEach(async () => {
  await dropRoles();
  for (const role of ROLES) await test.owner.query(`create role ${role} nologin`);
  await test.owner.query(`create role ${OTHER} login`);
});
afterAll(async () => {
  await dropRoles();
  await test.close();
});

async function dropRoles(): Promise<void> {
  for (const role of [...ROLES, OTHER]) await test.owner.query(`drop role if exists ${role}`);
}

/** What a boot says whose connections act as this role. */
async function said(mode: typeof SINGLE, role: string = APP): Promise<{ warnings: string[] } | { refused: string }> {
  const client = new pg.Client({ connectionString: test.ownerUrl, options: `-c role=${role}` });
  await client.connect();
  try {
    return { warnings: await checkRuntimeRoles(client, mode, ROLES) };
  } catch (error) {
    return { refused: (error as Error).message };
  } finally {
    await client.end();
  }
}

describe('the database roles at boot', () => {
  it('are accepted as migrations make them, in both modes', async () => {
    for (const mode of [SINGLE, MULTI]) {
      expect(await said(mode)).toEqual({ warnings: [] });
      expect(await checkRuntimeRoles(test.db.pool, mode)).toEqual([]);
    }
  });

  it.each([
    ['login', APP],
    ['createrole', APP],
    ['createdb', APP],
    ['replication', APP],
    ['login', SYSTEM],
    ['superuser', SYSTEM],
    ['bypassrls', SYSTEM],
  ])('refuse with %s in any mode, and the refusal says what to run', async (power, role) => {
    await test.owner.query(`alter role ${role} ${power}`);
    for (const mode of [SINGLE, { ...MULTI, allowRlsBypass: true }]) {
      expect(await said(mode)).toEqual({
        refused: `the database role ${role} has ${power.toUpperCase()}; run: alter role ${role} no${power}`,
      });
    }
    await test.owner.query(`alter role ${role} no${power}`);
    expect(await said(SINGLE)).toEqual({ warnings: [] });
  });

  it('refuse when one is a member of another role', async () => {
    await test.owner.query(`grant ${SYSTEM} to ${APP}`);
    const refused = expect.stringContaining(`${APP} is a member of ${SYSTEM}; run: revoke ${SYSTEM} from ${APP}`);
    expect(await said(SINGLE)).toEqual({ refused });
  });

  it('refuse when another login has one of them and can connect here', async () => {
    const { rows } = await test.owner.query<{ name: string }>('select current_database() as name');
    const database = rows[0]?.name;
    await test.owner.query(`grant ${APP} to ${OTHER}`);
    const refused = expect.stringContaining(`${APP} is granted to ${OTHER}`);
    expect(await said(SINGLE)).toEqual({ refused });
    await test.owner.query(`revoke connect on database ${database} from public`);
    expect(await said(SINGLE)).toEqual({ warnings: [] });
    await test.owner.query(`grant connect on database ${database} to ${OTHER}`);
    expect(await said(SINGLE)).toEqual({ refused });
    await test.owner.query(`revoke connect on database ${database} from ${OTHER}`);
    await test.owner.query(`grant connect on database ${database} to public`);
  });

  it('refuse when one is missing', async () => {
    await test.owner.query(`drop role ${SYSTEM}`);
    expect(await said(SINGLE)).toEqual({ refused: expect.stringContaining(`${SYSTEM} is missing`) });
  });

  it.each(['superuser', 'bypassrls'])(
    'CP-064 CP-065 a %s that processes act as refuses multi-user mode, and is a warning where it is allowed or single-admin',
    async (power) => {
      await test.owner.query(`alter role ${APP} ${power}`);
      const words = expect.stringContaining(`${APP} ${power === 'superuser' ? 'is a superuser' : 'has BYPASSRLS'}`);
      expect(await said(MULTI)).toEqual({ refused: words });
      expect(await said(MULTI)).toEqual({ refused: expect.stringContaining('SERVICE_ALLOW_RLS_BYPASS=1') });
      expect(await said({ ...MULTI, allowRlsBypass: true })).toEqual({ warnings: [words] });
      expect(await said(SINGLE)).toEqual({ warnings: [words] });
    },
  );

  it('CP-064 CP-065 so does the owner of the tables, behind a pooler that drops the startup option', async () => {
    const words = expect.stringMatching(
      /the database role \w+ is a superuser and has BYPASSRLS and owns tables.*pooler/,
    );
    await expect(checkRuntimeRoles(test.owner, MULTI, ROLES)).rejects.toThrow(/owns tables.*pooler/);
    expect(await checkRuntimeRoles(test.owner, SINGLE, ROLES)).toEqual([words]);
  });
});
