import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TenantTransaction } from '../../../src/core/record/database.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { addManyPeople } from '../../support/identity/many-people.js';
import { createOrganization } from '../../support/runs/run-fixture.js';

const PEOPLE = 1000;
/** Of 8 KiB. A list that reads its table from end to end reads several times as many, and more with every member. */
const MOST_BLOCKS = 100;
/** The table of tokens is small. */
const MOST_BLOCKS_OF_TOKENS = 30;
/** From the sixth time on PostgreSQL may keep one plan for whatever is asked. */
const TIMES = 7;

let database: TestDatabase;
let organizationId: string;
let ids: { membership: string; session: string; token: string; entry: string };

beforeAll(async () => {
  database = await createTestDatabase();
  ({ organizationId } = await createOrganization(database.db));
  await addManyPeople(database.owner, organizationId, PEOPLE);
  await database.owner.query('analyze users, org_memberships, user_sessions, api_tokens, auth_audit_log');
  const { rows } = await database.owner.query<typeof ids>(
    `select (select id from org_memberships order by id offset ${PEOPLE / 2} limit 1) as membership,
        (select id from user_sessions order by id offset ${PEOPLE * 5} limit 1) as session,
        (select id from api_tokens order by id offset ${PEOPLE} limit 1) as token,
        (select id from auth_audit_log order by id offset ${PEOPLE * 10} limit 1) as entry`,
  );
  ids = rows[0]!;
});

afterAll(() => database.close());

describe('lists of a large organization read what they answer (CP-268)', () => {
  it('members by address', () => expectFew('svc_list_members', ['person-500@example.com', null, 1000], 1));

  it('browser sessions of a member, who has others that are over', () =>
    expectFew('svc_list_web_sessions', [ids.membership, null, 100], 1));

  it('browser sessions behind the last live one', () =>
    expectFew('svc_list_web_sessions', [null, ids.session, 100], 0));

  it('tokens of a member', () =>
    expectFew('svc_list_personal_tokens', [ids.membership, null, 100], 2, MOST_BLOCKS_OF_TOKENS));

  it('tokens from the middle', () => expectFew('svc_list_personal_tokens', [null, ids.token, 20], 20));

  it.each([
    ['of an action that is rare', 'member.roles', null, 20],
    ['of an action that never was', 'idp.migrate', null, 0],
    ['that were refused', null, false, 2],
  ])('entries of the audit log %s', async (_, action, success, found) => {
    await expectFew('svc_list_auth_audit', [organizationId, null, action, success, 100], found);
    await expectFew('svc_list_auth_audit', [null, null, action, success, 100], found);
  });

  it('entries of the audit log from the middle', async () => {
    await expectFew('svc_list_auth_audit', [organizationId, ids.entry, null, null, 20], 20);
    await expectFew('svc_list_auth_audit', [null, ids.entry, null, null, 20], 20);
  });
});

async function expectFew(list: string, values: unknown[], found: number, most = MOST_BLOCKS): Promise<void> {
  const read = await database.db.withTenant(organizationId, async (tx) => {
    const reads = [];
    for (let time = 0; time < TIMES; time += 1) reads.push(await readBy(tx, list, values));
    return reads;
  });
  expect(read.map(({ rows }) => rows)).toEqual(Array.from({ length: TIMES }, () => found));
  // The first time reads the catalog as well.
  for (const { blocks } of read.slice(1)) expect(blocks).toBeLessThan(most);
}

interface Explained {
  Plan: { 'Actual Rows': number; 'Shared Hit Blocks': number; 'Shared Read Blocks': number };
}

async function readBy(
  tx: TenantTransaction,
  list: string,
  values: unknown[],
): Promise<{ rows: number; blocks: number }> {
  const places = values.map((_, index) => `$${index + 1}`).join(', ');
  const [row] = await tx.query<{ 'QUERY PLAN': Explained[] }>(
    `explain (analyze, buffers, format json) select * from ${list}(${places})`,
    values,
  );
  const { Plan: plan } = row!['QUERY PLAN'][0]!;
  return { rows: plan['Actual Rows'], blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
}
