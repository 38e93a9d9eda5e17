import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { auditRefusal, auditStep, listAudit, type AuditActor } from '../../../src/core/identity/audit-log.js';
import { createOrganization } from '../../support/runs/run-fixture.js';

const ACTOR: AuditActor = { kind: 'operator', id: 'operator', sourceIp: '127.0.0.1', requestId: 'r' };
const CHANGES = [
  `update auth_audit_log set action = 'org.create'`,
  `update auth_audit_log set detail = '{}' where false`,
  'delete from auth_audit_log',
  'truncate auth_audit_log',
];

let test: TestDatabase;
let organizationId: string;
beforeAll(async () => {
  test = await createTestDatabase();
  ({ organizationId } = await createOrganization(test.db));
  await test.db.withTenant(organizationId, (tx) =>
    auditStep(tx, { actor: ACTOR, action: 'member.roles', target: 'm' }),
  );
  await auditRefusal(test.db, null, { actor: ACTOR, action: 'org.create', target: 'acme' });
});
afterAll(() => test.close());

describe('CP-268 the log of privileged steps', () => {
  it.each(CHANGES)('only grows: the owner of the table cannot %s', async (change) => {
    await expect(test.owner.query(change)).rejects.toThrow(/append-only/);
  });

  it.each(CHANGES)('only grows: the runtime role cannot %s', async (change) => {
    await expect(test.db.withTenant(organizationId, (tx) => tx.query(change))).rejects.toThrow(/permission denied/);
  });

  it('says nothing of a step whose transaction was undone', async () => {
    const undone = test.db.withTenant(organizationId, async (tx) => {
      await auditStep(tx, { actor: ACTOR, action: 'member.deactivate', target: 'm' });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    const filter = { organizationId, action: null, success: null, before: null, limit: 10 };
    expect((await listAudit(test.db, filter)).map(({ action }) => action)).toEqual(['member.roles']);
  });

  it('takes an entry of another organization from nobody', async () => {
    const foreign = test.db.withTenant(organizationId, (tx) =>
      tx.query(
        `insert into auth_audit_log (id, tenant_id, actor_kind, actor_id, action, success)
           values (gen_random_uuid(), null, 'operator', 'operator', 'org.create', true)`,
      ),
    );
    await expect(foreign).rejects.toThrow(/row-level security/);
  });

  it('reads by an index, of one organization and of all, however long it is', async () => {
    for (const organization of [organizationId, null]) {
      const filter = { organizationId: organization, action: null, success: null, before: null, limit: 10 };
      expect((await listAudit(test.db, filter)).length).toBe(organization === null ? 2 : 1);
    }
  });
});
