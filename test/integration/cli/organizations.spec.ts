import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Schemas } from '../../../src/client/client.js';
import { ADMIN_TOKEN } from '../../support/api/api.js';
import { signIn, type TestUser } from '../../support/api/users.js';
import { captureTerminals, cli, json, ok, startCommand } from '../../support/cli/running-command.js';
import { startOrgBench, type OrgBench } from '../../support/identity/org-bench.js';

const earlier = { url: process.env['SANDGATE_URL'], token: process.env['SANDGATE_TOKEN'] };
let bench: OrgBench;
let folder: string;
let owner: TestUser;
let member: TestUser;
let organizationId: string;
beforeAll(async () => {
  captureTerminals();
  folder = mkdtempSync(join(tmpdir(), 'sg-cli-'));
  bench = await startOrgBench();
  Object.assign(process.env, { SANDGATE_URL: bench.api.url, SANDGATE_TOKEN: ADMIN_TOKEN });
  const made = await json<Schemas['Org']>('admin', 'orgs', 'create', 'acme', '--name', 'Acme Inc.');
  organizationId = made.id;
  owner = await bench.addMember(organizationId, 'owner');
  member = await bench.addMember(organizationId, 'member');
  await bench.api.database.owner.query(
    `update users set email = 'Ada@Acme.test', email_normalized = 'ada@acme.test' where id = $1`,
    [member.userId],
  );
});
afterAll(async () => {
  jest.restoreAllMocks();
  Object.assign(process.env, { SANDGATE_URL: earlier.url ?? '', SANDGATE_TOKEN: earlier.token ?? '' });
  rmSync(folder, { recursive: true });
  await bench.close();
});

/** With the token of a person in place of the operator's. */
async function as<T>(user: TestUser, work: () => Promise<T>): Promise<T> {
  process.env['SANDGATE_TOKEN'] = user.token;
  try {
    return await work();
  } finally {
    process.env['SANDGATE_TOKEN'] = ADMIN_TOKEN;
  }
}

describe('CP-268 CP-269 sandgate admin', () => {
  it('makes, shows, renames, suspends and resumes organizations', async () => {
    expect(await ok('admin', 'orgs')).toMatch(/ORG +NAME +STATUS[^]*default[^]*acme +Acme Inc\. +active/);
    expect(await ok('admin', 'orgs', 'show', 'acme')).toContain('Acme Inc.');
    expect(await ok('admin', 'orgs', 'rename', 'acme', 'Acme GmbH')).toContain('Acme GmbH');
    expect((await json<Schemas['Org']>('admin', 'orgs', 'rename', 'acme')).display_name).toBeNull();
    expect(await ok('admin', 'orgs', 'suspend', 'acme')).toContain('suspended');
    expect((await json<Schemas['Org']>('admin', 'orgs', 'resume', 'acme')).status).toBe('active');
    const taken = await cli('admin', 'orgs', 'create', 'acme');
    expect([taken.code, taken.message]).toEqual([5, expect.stringMatching(/exists already/)]);
    expect((await cli('admin', 'orgs', 'show', 'nobody')).code).toBe(3);
  });

  it('adds, changes and moves identity providers, without a secret on the command line', async () => {
    const { issuer } = bench.provider;
    const mappings = join(folder, 'mappings.yaml');
    writeFileSync(mappings, 'role_map: {staff: admin}\n');
    const about = ['--issuer', issuer, '--client', 'sandgate'];
    const refused = await cli('admin', 'idp', 'add', 'acme', ...about);
    expect([refused.code, refused.message]).toEqual([2, expect.stringMatching(/--with-secret/)]);
    const given = startCommand(
      ['admin', 'idp', 'add', 'acme', ...about, '--with-secret', '--mappings', mappings],
      'hush',
    );
    expect((await given.outcome).stdout).toMatch(/is staged[^]*admin idp activate acme 1/);
    const none = await json<Schemas['Idp']>('admin', 'idp', 'add', 'acme', ...about, '--auth', 'none');
    expect(none).toMatchObject({ generation: 2, token_endpoint_auth: 'none' });
    expect(await ok('admin', 'idp', 'list', 'acme')).toMatch(/1 +staged[^]*2 +staged/);
    expect(await ok('admin', 'idp', 'activate', 'acme', '1')).toContain('is active');
    expect((await cli('admin', 'idp', 'activate', 'acme', '2')).code).toBe(5);
    const changed = await json<Schemas['Idp']>('admin', 'idp', 'change', 'acme', '1', '--scopes', 'openid email');
    expect(changed).toMatchObject({ scopes: ['openid', 'email'], claim_mappings: { role_map: { staff: 'admin' } } });
    expect(await ok('admin', 'idp', 'disable', 'acme', '1')).toMatch(/disabled; 0 browser sessions/);
    expect(await ok('admin', 'idp', 'reactivate', 'acme', '1')).toContain('is active');
    const migrated = await ok('admin', 'idp', 'migrate', 'acme', '1', ...about, '--auth', 'none', '--carry-forward');
    expect(migrated).toMatch(/generation 3\) is active[^]*0 members deactivated/);
    expect((await cli('admin', 'idp', 'activate', 'acme', '9')).code).toBe(3);
  });

  it('lists members, sets roles, signs out, and arms a first owner', async () => {
    expect(await ok('admin', 'members', 'list', 'acme')).toContain('Ada@Acme.test');
    const found = await json<Schemas['Member'][]>('admin', 'members', 'list', 'acme', '--email', 'ada@acme.test');
    expect(found.map(({ user_id: id }) => id)).toEqual([member.userId]);
    expect(await ok('admin', 'members', 'roles', 'acme', 'ada@acme.test', 'member', 'approver')).toMatch(
      /is active: member, approver/,
    );
    expect((await cli('admin', 'members', 'roles', 'acme', 'ada@acme.test', 'root')).code).toBe(2);
    await signIn(bench.api.db, member);
    const sessions = await json<Schemas['WebSession'][]>('admin', 'members', 'sessions', 'acme', 'ada@acme.test');
    expect(sessions).toHaveLength(1);
    expect(await ok('admin', 'members', 'sign-out', 'acme', '--session', sessions[0]!.id)).toContain(
      '1 browser session',
    );
    expect((await cli('admin', 'members', 'sign-out', 'acme')).code).toBe(2);
    expect((await cli('admin', 'members', 'sign-out', 'acme', '--all')).code).toBe(2);
    expect(await ok('admin', 'members', 'sign-out', 'acme', '--all', '--yes')).toContain('0 browser sessions');
    const armed = await cli('admin', 'break-glass', 'acme', 'grace@acme.test');
    expect(armed.code).toBe(5);
    await ok('admin', 'members', 'deactivate', 'acme', owner.membershipId);
    expect(await ok('admin', 'break-glass', 'acme', 'grace@acme.test')).toMatch(/armed until .* becomes owner/);
    expect(await ok('admin', 'members', 'reactivate', 'acme', owner.membershipId)).toContain('is active: owner');
  });

  it('shows the log of privileged steps', async () => {
    const table = await ok('admin', 'audit', '--org', 'acme');
    expect(table).toMatch(/TIME +ACTOR +ACTION +OUTCOME/);
    expect(table).toContain('idp.migrate');
    const refused = await json<Schemas['AuthAuditEntry'][]>(
      'admin',
      'audit',
      '--refused',
      '--action',
      'break_glass.arm',
    );
    expect(refused.map(({ success, detail }) => [success, detail])).toEqual([[false, { code: 'conflict' }]]);
    expect(await json<unknown[]>('admin', 'audit', '--limit', '1')).toHaveLength(1);
    expect((await cli('admin', 'audit', '--action', 'nothing')).code).toBe(2);
  });
});

describe('CP-268 sandgate org', () => {
  it('shows the own organization, and lets its owner manage members and their tokens', async () => {
    const other = await bench.addMember(organizationId, 'admin');
    const boss = await bench.addMember(organizationId, 'owner');
    await as(boss, async () => {
      expect(await ok('org')).toMatch(/slug +acme/);
      expect(await ok('org', 'members', 'list')).toContain('Ada@Acme.test');
      expect(await ok('org', 'members', 'roles', 'ada@acme.test', 'approver')).toContain('approver');
      expect(await ok('org', 'members', 'deactivate', other.membershipId)).toContain('is deactivated');
      expect(await ok('org', 'members', 'reactivate', other.membershipId)).toContain('is active');
      expect(await ok('org', 'members', 'sessions')).toContain('No live browser sessions.');
      expect(await ok('org', 'idp')).toMatch(/GENERATION/);
      const tokens = await json<Schemas['MemberToken'][]>('org', 'tokens', '--member', 'ada@acme.test');
      expect(tokens.map(({ user_id: id }) => id)).toEqual([member.userId]);
      expect(await ok('org', 'tokens', 'revoke', tokens[0]!.id)).toContain('is revoked');
      expect(await ok('org', 'tokens', 'list')).toMatch(/Ada@Acme\.test[^]*revoked/);
      expect(await ok('org', 'audit', '--action', 'token.revoke')).toContain(tokens[0]!.id);
      expect(await ok('org', 'members', 'deactivate', owner.membershipId)).toContain('is deactivated');
      const last = await cli('org', 'members', 'deactivate', boss.membershipId);
      expect([last.code, last.message]).toEqual([5, expect.stringMatching(/last active owner/)]);
    });
    const approver = await bench.addMember(organizationId, 'approver');
    await as(approver, async () => {
      expect(await ok('org', 'show')).toContain('acme');
      expect((await cli('org', 'members', 'list')).code).toBe(4);
    });
  });
});
