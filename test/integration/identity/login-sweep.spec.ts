import { hash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createMaintenanceActivities,
  type MaintenanceDependencies,
} from '../../../src/activities/maintenance.activities.js';
import { sweepLogins } from '../../../src/core/maintenance/sweeps.js';
import { signIn, TestUsers, type TestUser } from '../../support/api/users.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createOrganization } from '../../support/runs/run-fixture.js';

let test: TestDatabase;
let user: TestUser;
beforeAll(async () => {
  test = await createTestDatabase();
  const { organizationId } = await createOrganization(test.db);
  user = await new TestUsers().add(test.db, organizationId, 'member');
});
afterAll(() => test.close());

const sha = (): string => hash('sha256', randomBytes(16), 'hex');

/** A session, a switch that would have replaced it, a device login and a count, all over for so long. */
async function plant(ago: string): Promise<void> {
  const { sessionId } = await signIn(test.db, user);
  const { owner } = test;
  await owner.query(
    `update user_sessions set idle_expires_at = now() - $2::interval, absolute_expires_at = now() - $2::interval where id = $1`,
    [sessionId, ago],
  );
  await owner.query(
    `insert into pending_login_switches (id, tenant_id, idp_config_id, new_membership_id, new_user_id, replaced_tenant_id,
        replaced_session_id, redirect_to, browser_hash, expires_at)
      select gen_random_uuid(), s.tenant_id, s.idp_config_id, s.membership_id, s.user_id, s.tenant_id, s.id, '/', $2,
          now() - $3::interval from user_sessions s where s.id = $1`,
    [sessionId, sha(), ago],
  );
  await owner.query(
    `insert into device_logins (id, device_code_sha256, user_code_sha256, client_name, source_ip, expires_at)
      values (gen_random_uuid(), $1, $2, 'a test', '127.0.0.1', now() - $3::interval)`,
    [sha(), sha(), ago],
  );
  await owner.query('insert into login_throttles (key, minute, count) values ($1, now() - $2::interval, 1)', [
    sha(),
    ago,
  ]);
}

const TABLES = ['user_sessions', 'pending_login_switches', 'device_logins', 'login_throttles'];

async function counts(): Promise<number[]> {
  const counted: number[] = [];
  for (const table of TABLES) {
    const { rows } = await test.owner.query<{ count: number }>(`select count(*)::int as count from ${table}`);
    counted.push(rows[0]?.count ?? 0);
  }
  return counted;
}

describe('what logins leave behind', () => {
  it('is swept by maintenance a week after its end, throttles after minutes; what is younger stays', async () => {
    for (let count = 0; count < 3; count += 1) await plant('8 days');
    await plant('1 second');
    await signIn(test.db, user);
    expect(await counts()).toEqual([5, 4, 4, 4]);
    // Bounded: one call takes one of each.
    expect(await sweepLogins(test.db.pool, 1)).toBe(4);
    expect(await counts()).toEqual([4, 3, 3, 3]);
    const on = { database: test.db } as unknown as MaintenanceDependencies;
    await createMaintenanceActivities(on).expireRecords();
    expect(await counts()).toEqual([2, 1, 1, 1]);
    expect(await sweepLogins(test.db.pool, 500)).toBe(0);
  });
});
