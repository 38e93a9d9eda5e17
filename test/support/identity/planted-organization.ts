import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { Organizations } from '../../../src/core/organizations/organizations.js';
import type { Answer, TestApi } from '../api/api.js';
import { signIn, type TestBrowser, type TestUser } from '../api/users.js';
import { rawArchive } from '../archives/raw-tar.js';
import { connected } from '../connections/connected.js';
import { plantRow, readTenantTables } from '../database/planted-rows.js';
import { AGENT_WITH_SLOT, SLOT, UNCHANGED_AGENT } from './addressed-requests.js';
import { ask } from '../gate/asked-approval.js';
import { createRun, type FixtureOrganization } from '../runs/run-fixture.js';
import { createSubscription, type FixtureSubscription } from '../triggers/subscription-fixture.js';

/** Refused by the guard of outbound traffic before anything is looked up. */
const INSIDE = 'https://127.0.0.1/mcp';

/** An organization with something of every kind that it can have, and the people who may do everything in it. */
export interface PlantedOrganization extends FixtureOrganization {
  slug: string;
  owner: TestUser;
  trigger: FixtureSubscription;
}

/** Plants real rows of whatever has an address, and some row in every other table of the catalog. */
export async function plantOrganization(api: TestApi, name: string): Promise<PlantedOrganization> {
  const slug = `${name}-${randomBytes(4).toString('hex')}`;
  const { id } = await new Organizations(api.db, { harness: 'replay', model: 'none' }).ensure(slug);
  const fixture = await seeded(api, id);
  // Whatever is ended by a request about it comes before what the callers use: the first rows of a kind are asked about first.
  for (let made = 0; made < 2; made++) await signIn(api.db, await api.users.add(api.db, id, 'member'));
  const first = await api.users.add(api.db, id, 'owner');
  await signIn(api.db, first);
  const owner = { ...first, token: await mintLast(api, await signIn(api.db, first)) };
  const trigger = await createSubscription(api.db, fixture, { name: `${slug}-trigger`, allow_task_override: true });
  await plantByRoutes(api, slug, owner);
  await ok(api.post(`/v1/triggers/${trigger.id}/invoke`, {}, { token: trigger.token }));
  await plantByRows(api, fixture, owner, trigger);
  await plantElsewhere(api, id);
  return { ...fixture, slug, owner, trigger };
}

async function mintLast(api: TestApi, { headers }: TestBrowser): Promise<string> {
  const minted: string[] = [];
  for (const name of ['spare', 'used']) {
    const { body } = await ok(api.post('/v1/auth/tokens', { name }, { token: null, headers: { ...headers } }));
    minted.push((body as unknown as { token: string }).token);
  }
  return minted.at(-1) ?? '';
}

async function seeded(api: TestApi, organizationId: string): Promise<FixtureOrganization> {
  const { rows } = await api.database.owner.query<Omit<FixtureOrganization, 'organizationId'>>(
    `select a.id as "agentId", r.id as "revisionId", r.policy_id as "policyId"
     from agents a join agent_revisions r on r.agent_id = a.id where a.tenant_id = $1`,
    [organizationId],
  );
  const [found] = rows;
  if (found === undefined) throw new Error('the seeded agent is missing');
  return { organizationId, ...found };
}

async function plantByRoutes(api: TestApi, slug: string, { token }: TestUser): Promise<void> {
  const slot = { slot: SLOT, connector: { url: INSIDE }, required_tools: ['find'], binding_mode: 'organization' };
  const make = async (path: string, body: object): Promise<Answer> => ok(api.post(path, body, { token }));
  await make('/v1/agents', { name: AGENT_WITH_SLOT, harness: 'replay', connection_requirements: [slot] });
  await make('/v1/agents', { name: `${slug}-agent`, harness: 'replay' });
  await make('/v1/agents', { name: UNCHANGED_AGENT, harness: 'replay' });
  await make('/v1/policies/clone', { from: 'default', name: `${slug}-policy` });
  const tools = [{ name: 'find', input_schema: { type: 'object' } }];
  await make('/v1/capabilities', {
    name: `${slug}-bundle`,
    servers: [{ class: 'sandbox', name: 'kb', command: 'node', args: [], tools }],
  });
  await make('/v1/catalog', { slug: `${slug}-entry`, name: 'An entry', url: INSIDE });
  await make('/v1/codehost/app/manifest/start', {});
  await ok(
    api.call('POST', '/v1/workspaces', {
      token,
      raw: rawArchive([{ name: 'main.c', content: 'int main(void) { return 0; }\n' }]),
      headers: { 'content-type': 'application/gzip' },
    }),
  );
}

async function plantByRows(
  api: TestApi,
  fixture: FixtureOrganization,
  owner: TestUser,
  trigger: FixtureSubscription,
): Promise<void> {
  const { organizationId } = fixture;
  await connected(api.db, organizationId, { url: INSIDE });
  await connected(api.db, organizationId, { url: INSIDE, owner: owner.userId });
  const run = await createRun(api.db, { in: fixture });
  await ask(api, run);
  const content = Buffer.from('a difference');
  await api.db.withTenant(organizationId, async (tx) => {
    await tx.query(
      `insert into artifacts (id, tenant_id, session_id, kind, name, content, content_type, size_bytes, digest)
       values ($1, $2, $3, 'diff', $4, $5, 'text/plain', $6, 'sha256:00')`,
      [uuidv7(), organizationId, run.runId, `${uuidv7()}.diff`, content, content.length],
    );
    await tx.query(
      `insert into result_deliveries (id, tenant_id, session_id, subscription_id, destination_index, destination, status)
       values ($1, $2, $3, $4, 0, '{"kind":"callback"}', 'failed')`,
      [uuidv7(), organizationId, run.runId, trigger.id],
    );
  });
}

/** Some row in each table that has none of the organization yet, so that ids of new tables are tried by themselves. */
async function plantElsewhere(api: TestApi, organizationId: string): Promise<void> {
  for (const table of await readTenantTables(api.database)) {
    const sql = `select 1 from ${table.name} where ${table.tenant} = $1 limit 1`;
    const { rows } = await api.database.owner.query(sql, [organizationId]);
    if (rows.length === 0) await plantRow(api.database, table, organizationId);
  }
}

async function ok(asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked;
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return answer;
}
