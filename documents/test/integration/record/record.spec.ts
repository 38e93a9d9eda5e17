import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrateDocsvc } from '../../../src/platform/postgres/migrate-docsvc.js';
import { checkRoles } from '../../../src/platform/postgres/check-roles.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { plantOrganization } from '../../support/database/plant-organization.js';

const troubles: unknown[] = [];
let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase((error) => troubles.push(error));
});
afterAll(() => test.close());

const names = (orgId: string) =>
  test.record.inOrganization(orgId, (tx) => tx.query<{ id: string }>('select id from projects'));

describe('a transaction of one organization', () => {
  it('sees the rows of that organization alone, and writes none of another', async () => {
    const [ours, theirs] = [await plantOrganization(test.owner), await plantOrganization(test.owner)];
    expect(await names(ours.orgId)).toEqual([{ id: ours.projectId }]);
    expect(await names(randomUUID())).toEqual([]);
    const foreign = test.record.inOrganization(ours.orgId, (tx) =>
      tx.query('insert into projects (id, org_id, workspace_id, name) values ($1, $2, $3, $4)', [
        randomUUID(),
        theirs.orgId,
        theirs.workspaceId,
        'Foreign',
      ]),
    );
    await expect(foreign).rejects.toThrow(/row-level security/);
  });

  it('no connection that was used for an organization shows its rows afterwards', async () => {
    const { orgId } = await plantOrganization(test.owner);
    await names(orgId);
    expect((await test.record.pool.query('select 1 from projects')).rows).toEqual([]);
  });

  it('steps after the commit run in their order once it is there, and one that fails keeps no other one back', async () => {
    const { orgId, projectId } = await plantOrganization(test.owner);
    const seen: unknown[] = [];
    await test.record.inOrganization(orgId, async (tx) => {
      await tx.query('update projects set description = $1 where id = $2', ['seen', projectId]);
      tx.afterCommit(() => {
        throw new Error('a step failed');
      });
      tx.afterCommit(async () => {
        const { rows } = await test.owner.query<object>('select description from projects where id = $1', [projectId]);
        seen.push(...rows);
      });
    });
    expect(seen).toEqual([{ description: 'seen' }]);
    expect(troubles).toEqual([expect.objectContaining({ message: 'a step failed' })]);
  });

  it('steps of a transaction that is rolled back do not run', async () => {
    const { orgId } = await plantOrganization(test.owner);
    let ran = false;
    const failing = test.record.inOrganization(orgId, (tx) => {
      tx.afterCommit(() => void (ran = true));
      return Promise.reject(new Error('no'));
    });
    await expect(failing).rejects.toThrow('no');
    expect(ran).toBe(false);
  });
});

describe('the database of the documents service', () => {
  it('every table with rows of organizations forces row-level isolation by them', async () => {
    const { rows } = await test.owner.query<{ name: string; forced: boolean; policy: boolean }>(
      `select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as forced,
              exists (select from pg_policies p where p.tablename = c.relname and p.policyname = 'org_isolation'
                      and p.qual ~ 'docsvc.org_id' and p.with_check ~ 'docsvc.org_id') as policy
       from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
         and c.relname not in ('schema_migrations', 'schema_functions', 'secret_throttles')`,
    );
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter(({ forced, policy }) => !forced || !policy)).toEqual([]);
  });

  it('what is kept of callers whom nobody knows yet belongs to no organization, and no process reads or writes it by itself', async () => {
    const { rows } = await test.owner.query<{ privilege: string }>(
      `select privilege from unnest(array['select', 'insert', 'update', 'delete']) privilege
       where has_table_privilege('docsvc_app', 'secret_throttles', privilege)`,
    );
    expect(rows).toEqual([]);
  });

  it('is migrated once: the next start finds nothing to do', async () => {
    expect(await migrateDocsvc(test.ownerUrl)).toEqual([]);
  });

  it('the runtime role is accepted at boot; one that bypasses isolation only where the operator allows it', async () => {
    expect(await checkRoles(test.record.pool, { allowRlsBypass: false })).toEqual([]);
    await expect(checkRoles(test.owner, { allowRlsBypass: false })).rejects.toThrow(/DOCSVC_ALLOW_RLS_BYPASS=1/);
    expect(await checkRoles(test.owner, { allowRlsBypass: true })).toEqual([
      expect.stringContaining('DOCSVC_DATABASE_URL'),
    ]);
  });
});
