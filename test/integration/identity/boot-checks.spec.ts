import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkIdentity } from '../../../src/api/boot-checks.js';
import { checkHost } from '../../../src/embedded/host-checks.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { signIn, TestUsers } from '../../support/api/users.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createOrganization } from '../../support/runs/run-fixture.js';

let test: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  test = await createTestDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'sg-boot-'));
});
afterAll(async () => {
  await test.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const config = (env: Record<string, string>) => loadConfig({ SERVICE_DATA_DIR: dataDir, ...env });
const MULTI = { SERVICE_REQUIRE_SSO: '1' };

describe('what a boot says of who can call', () => {
  it('CP-054 in multi-user mode that nobody can sign in, until an active organization has an active provider', async () => {
    const nobody = [expect.stringMatching(/no organization has an active identity provider.*only \/v1\/admin/)];
    expect(await checkIdentity(test.db, config({}))).toEqual([]);
    expect(await checkIdentity(test.db, config(MULTI))).toEqual(nobody);
    const { organizationId } = await createOrganization(test.db);
    await signIn(test.db, await new TestUsers().add(test.db, organizationId, 'owner'));
    expect(await checkIdentity(test.db, config(MULTI))).toEqual([]);
    for (const sql of [`update tenants set status = 'suspended'`, `update org_idp_configs set status = 'disabled'`]) {
      await test.owner.query(sql);
      expect(await checkIdentity(test.db, config(MULTI))).toEqual(nobody);
      await test.owner.query(`update tenants set status = 'active'`);
    }
  });

  it('CP-064 CP-065 the doctor looks at the database roles as a boot does', async () => {
    const checks = await checkHost({
      ...MULTI,
      DATABASE_URL: test.ownerUrl,
      SERVICE_DATA_DIR: dataDir,
      PATH: process.env['PATH'],
    });
    expect(checks.filter(({ name }) => name === 'isolation')).toEqual([
      { name: 'isolation', result: 'ok', detail: 'row-level isolation binds what processes run as' },
    ]);
  });
});
