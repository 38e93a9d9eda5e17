import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { Organizations } from '../../../src/core/organizations/organizations.js';
import { seedPolicies } from '../../../src/core/organizations/seed-policies.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';

let test: TestDatabase;
let folder: string;
let organizationId: string;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.close());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sg-seed-'));
  organizationId = uuidv7();
  await test.db.withTenant(organizationId, (tx) =>
    tx.query('insert into tenants (id, slug, name) values ($1, $2, $2)', [organizationId, `o-${organizationId}`]),
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Stored {
  name: string;
  version: number;
  author: string;
  yaml_source: string | null;
}

const file = (name: string, text: string): void => writeFileSync(join(folder, `${name}.yaml`), text);
const seed = (): Promise<string[]> => test.db.withTenant(organizationId, (tx) => seedPolicies(tx, folder));
const stored = (): Promise<Stored[]> =>
  test.db.withTenant(organizationId, (tx) =>
    tx.query(
      `select p.name, v.version, v.author, v.yaml_source from policies p join policy_versions v on v.policy_id = p.id
        order by p.name, v.version`,
    ),
  );

describe('seeding policies from files', () => {
  it('adds what is absent as version 1 with its YAML, and overwrites nothing', async () => {
    file('default', '# first\nname: default');
    expect(await seed()).toEqual([]);
    file('default', '# second\nname: default\ndefaults: {tool_action: deny}');
    file('more', 'name: more');
    expect(await seed()).toEqual([]);
    expect(await stored()).toEqual([
      { name: 'default', version: 1, author: 'seed', yaml_source: '# first\nname: default' },
      { name: 'more', version: 1, author: 'seed', yaml_source: 'name: more' },
    ]);
  });

  it.each<[string, string, string]>([
    ['broken', 'name: broken\nextra: 1', 'extra'],
    ['other', 'name: another', 'it holds the policy another'],
    ['syntax', 'a: [', 'invalid YAML'],
  ])('an invalid file of an absent policy refuses the boot and writes nothing: %s', async (name, text, reason) => {
    file('default', 'name: default');
    file(name, text);
    await expect(seed()).rejects.toThrow(new RegExp(`${name}\\.yaml.*${reason}`, 's'));
    expect(await stored()).toEqual([]);
  });

  it('an invalid file of a policy that exists only warns', async () => {
    file('default', 'name: default');
    await seed();
    file('default', 'name: default\nextra: 1');
    expect(await seed()).toEqual([expect.stringMatching(/^the policy file default\.yaml is not valid.*`extra`/)]);
    expect(await stored()).toHaveLength(1);
  });

  it.each(['validate', 'preview', 'clone'])('a file named %s refuses the boot, whatever it holds', async (name) => {
    file('default', 'name: default');
    file(name, `name: ${name}`);
    await expect(seed()).rejects.toThrow(`${name}.yaml`);
  });

  it('a missing default refuses the boot, an unusable one warns at every boot', async () => {
    await expect(seed()).rejects.toThrow('there is no policy default');
    file('default', 'name: default');
    await seed();
    await test.owner.query(
      `insert into policy_versions (id, tenant_id, policy_id, version, content, author)
       select gen_random_uuid(), tenant_id, id, 2, '{"name": "default", "tools": 1}', 'ui' from policies where tenant_id = $1`,
      [organizationId],
    );
    for (let boot = 0; boot < 2; boot += 1)
      expect(await seed()).toEqual([expect.stringContaining('the policy default cannot be used')]);
  });

  it('every organization gets the four of the installation at its creation, and the boot organization again', async () => {
    const warnings: string[] = [];
    const fixer = { harness: 'replay', model: 'none' };
    const organizations = new Organizations(test.db, fixer, (message) => warnings.push(message));
    const { id } = await organizations.ensure('boot');
    organizationId = id;
    const names = ['default', 'governed', 'standard', 'unrestricted'];
    expect((await stored()).map((row) => row.name)).toEqual(names);
    expect((await stored())[0]?.yaml_source).toBe(readFileSync('policies/default.yaml', 'utf8'));
    await test.db.withTenant(id, (tx) => tx.query(`delete from policies where name = 'governed'`));
    await organizations.ensure('boot');
    expect((await stored()).map((row) => row.name)).toEqual(names);
    organizationId = (await organizations.create('second', 'second')).id;
    expect((await stored()).map((row) => row.name)).toEqual(names);
    expect(warnings).toEqual([]);
  });
});
