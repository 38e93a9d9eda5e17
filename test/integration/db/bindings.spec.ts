import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import type {
  BindingAuthority,
  ResolverKind,
  ResourceBinding,
} from '../../../src/domain/connections/resource-binding.js';
import { bindingProblem } from '../../../src/core/bindings/recheck-binding.js';
import { findBinding, insertBindings } from '../../../src/core/bindings/resource-bindings.js';
import { connected } from '../../support/connections/connected.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createSubscription } from '../../support/triggers/subscription-fixture.js';
import { createOrganization, createRun, type FixtureRun } from '../../support/runs/run-fixture.js';
import { deactivate, TestUsers, type TestUser } from '../../support/api/users.js';

let database: TestDatabase;
let run: FixtureRun;
let ada: TestUser;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  run = await createRun(database.db);
  ada = await new TestUsers().add(database.db, run.organizationId, 'member');
});

const own = (sql: string, values: unknown[] = []): Promise<unknown> => database.owner.query(sql, values);
const connect = (owner?: string): Promise<string> =>
  connected(database.db, run.organizationId, owner === undefined ? {} : { owner });
const through = (connectionId: string, owner: string | null = null): BindingAuthority => ({
  kind: 'connection',
  connectionId,
  generation: 1,
  ownerType: owner === null ? 'organization' : 'user',
  ownerUserId: owner,
});
const TOOL_SET = { snapshotVersion: 1, tools: [], digest: `sha256:${'0'.repeat(64)}` };

async function bind(
  authority: BindingAuthority,
  change: Partial<ResourceBinding> = {},
  resolver: ResolverKind = 'operator',
): Promise<ResourceBinding> {
  const binding: ResourceBinding = {
    id: uuidv7(),
    organizationId: run.organizationId,
    runId: run.runId,
    slotKind: 'mcp',
    slot: 'crm',
    authority,
    toolSet: TOOL_SET,
    resourceScope: {},
    resolvedBy: { kind: resolver, id: resolver === 'user' ? ada.userId : null },
    bindingMode: 'organization',
    ...change,
  };
  await database.db.withTenant(run.organizationId, (tx) => insertBindings(tx, [binding]));
  return binding;
}
const find = (organizationId: string, slot: string): Promise<ResourceBinding | null> =>
  database.db.withTenant(organizationId, (tx) => findBinding(tx, { runId: run.runId, slotKind: 'mcp', slot }));
const NONE: Partial<ResourceBinding> = { slotKind: 'workspace_fetch', slot: 'workspace', toolSet: null };

describe('a binding', () => {
  it('CP-127 CP-128 CP-129 is read as it was written, and only in its organization', async () => {
    const binding = await bind(through(await connect()));
    expect(await find(run.organizationId, 'crm')).toEqual(binding);
    expect(await find(run.organizationId, 'kb')).toBeNull();
    const stranger = await createOrganization(database.db);
    expect(await find(stranger.organizationId, 'crm')).toBeNull();
  });

  it('CP-127 there is one for a slot, and it never changes', async () => {
    const id = await connect();
    const { id: binding } = await bind(through(id));
    await expect(bind(through(id))).rejects.toThrow('duplicate key');
    for (const statement of [
      'update run_resource_bindings set snapshot_version = 2',
      'delete from run_resource_bindings',
    ])
      await expect(own(`${statement} where id = $1`, [binding])).rejects.toThrow();
  });

  it('CP-128 CP-129 has a known kind and a whole authority, and an mcp slot has a connection', async () => {
    const id = await connect();
    const wrong: [BindingAuthority, Partial<ResourceBinding>][] = [
      [{ kind: 'none' }, {}],
      [{ kind: 'subscription_secret', subscriptionId: uuidv7(), generation: 1 }, {}],
      [through(id), { toolSet: null }],
      [{ kind: 'none' }, { ...NONE, toolSet: TOOL_SET }],
      [{ ...through(id), ownerUserId: ada.userId } as BindingAuthority, {}],
      [{ ...through(id), ownerType: 'user' } as BindingAuthority, {}],
      [through(id), { slotKind: 'other' as 'mcp' }],
      [{ kind: 'other' as 'none' }, NONE],
      [through(uuidv7()), {}],
      [through(id), { toolSet: { ...TOOL_SET, snapshotVersion: 7 } }],
    ];
    for (const [authority, change] of wrong) await expect(bind(authority, change)).rejects.toThrow(/violates/);
    await bind({ kind: 'none' }, NONE);
    const publish = { slotKind: 'result_publish', slot: 'publish:0', toolSet: null } as const;
    const { id: subscriptionId } = await createSubscription(database.db, run);
    await bind({ kind: 'subscription_secret', subscriptionId, generation: 3 }, publish);
  });
});

describe('the recheck of a binding', () => {
  const problem = async (binding: ResourceBinding): Promise<string | null> =>
    await database.db.withTenant(binding.organizationId, (tx) => bindingProblem(tx, binding));

  it('passes while everything is as it was, and without a connection', async () => {
    expect(await problem(await bind(through(await connect())))).toBeNull();
    expect(await problem(await bind({ kind: 'none' }, NONE))).toBeNull();
    expect(
      await problem(await bind(through(await connect(ada.userId), ada.userId), { slot: 'own' }, 'user')),
    ).toBeNull();
  });

  it('refuses the binding of another organization', async () => {
    const binding = await bind(through(await connect()));
    const stranger = await createOrganization(database.db);
    expect(await problem({ ...binding, organizationId: stranger.organizationId })).toContain("not this organization's");
  });

  it.each(['membership', 'account'] as const)(
    'refuses when the %s of whoever started the run is not active',
    async (what) => {
      const binding = await bind(through(await connect()), {}, 'user');
      await deactivate(database.db, ada, what);
      expect(await problem(binding)).toContain('no longer an active member');
    },
  );

  it.each(['trigger', 'schedule', 'webhook'] as const)(
    'refuses when the %s behind the run cannot be found',
    async (kind) => {
      expect(await problem(await bind(through(await connect()), {}, kind))).toBe(
        `the ${kind} that started this run was revoked or disabled`,
      );
    },
  );

  it.each(['pending', 'suspended', 'error', 'revoked'])(
    'CP-157 CP-314 refuses a connection that is %s',
    async (status) => {
      const id = await connect();
      const binding = await bind(through(id));
      await own('update integration_connections set status = $2 where id = $1', [id, status]);
      expect(await problem(binding)).toBe(`the connection bound to slot crm is ${status} — reconnect it`);
    },
  );

  it('CP-309 refuses an authorization that is not the one of the binding', async () => {
    const id = await connect();
    const binding = await bind({ ...through(id), generation: 7 } as BindingAuthority);
    expect(await problem(binding)).toBe(
      'the connection bound to slot crm was reauthorized after this run started — its binding is stale',
    );
  });

  it('refuses a connection of another owner than the one that was frozen', async () => {
    const binding = await bind(through(await connect(ada.userId)));
    expect(await problem(binding)).toContain('its binding is stale');
  });

  it.each(['membership', 'account'] as const)(
    "CP-314 refuses a personal connection when its owner's %s is not active",
    async (what) => {
      const binding = await bind(through(await connect(ada.userId), ada.userId));
      await deactivate(database.db, ada, what);
      expect(await problem(binding)).toContain("its owner's membership is not active");
    },
  );

  it('tells the earlier of two reasons, and never names the connection', async () => {
    const id = await connect(ada.userId);
    const binding = await bind({ ...through(id, ada.userId), generation: 7 } as BindingAuthority, {}, 'user');
    await own(`update integration_connections set status = 'revoked' where id = $1`, [id]);
    expect(await problem(binding)).toContain('is revoked');
    await deactivate(database.db, ada, 'membership');
    expect(await problem(binding)).toContain('no longer an active member');
    expect(await problem(binding)).not.toMatch(/CRM|crm\.example/);
  });
});
