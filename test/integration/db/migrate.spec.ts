import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { migrateDatabase as Migrate } from '../../../src/embedded/service-parts.js';
import { migrate } from '../../../src/platform/postgres/migrate.js';
import { withClient } from '../../../src/platform/postgres/one-off.js';
import { ownRelease } from '../../../src/platform/postgres/schema-release.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { describeSchema } from '../../support/database/describe-schema.js';
import { changed, nextRelease } from '../../support/database/next-release.js';

let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase();
});
afterEach(() => test.close());

/** Less than any wait for a lock. */
const FAST_MS = 5000;
const RUNS = 'functions/runs.sql';

describe('functions', () => {
  const checksums = async (): Promise<Map<string, string>> => {
    const { rows } = await test.owner.query<{ file: string; checksum: string }>(
      'select file, checksum from schema_functions',
    );
    return new Map(rows.map(({ file, checksum }) => [file, checksum]));
  };

  it('of a file whose text has changed are made again, and no others', async () => {
    const before = await checksums();
    const functions = changed(ownRelease(), RUNS, (sql) => sql.replace(`then 'inactive'`, `then 'gone'`));
    expect(await migrate(test.ownerUrl, { ...ownRelease(), functions })).toEqual([RUNS]);
    expect(await describeSchema(test.owner)).toContain(`then 'gone'`);
    const after = await checksums();
    expect([...after].filter(([file, checksum]) => before.get(file) !== checksum).map(([file]) => file)).toEqual([
      RUNS,
    ]);
    expect(await migrate(test.ownerUrl)).toEqual([RUNS]);
    expect(await checksums()).toEqual(before);
  });

  it.each([
    [
      'other arguments',
      (sql: string) => sql.replace('svc_heartbeat(p_tenant uuid', 'svc_heartbeat(p_more int, p_tenant uuid'),
    ],
    [
      'another name of an argument',
      (sql: string) => sql.replace('svc_find_runs(p_ids', 'svc_find_runs(p_runs').replace('(p_ids)', '(p_runs)'),
    ],
    [
      'another result',
      (sql: string) =>
        sql
          .replace('svc_is_terminal(p_status text)\nreturns boolean', 'svc_is_terminal(p_status text)\nreturns text')
          .replace('select p_status in', 'select (p_status in')
          .replace(`'budget_exceeded') $`, `'budget_exceeded'))::text $`),
    ],
  ])('with %s under the old name are refused, and nothing has changed', async (_what, rewrite) => {
    const before = await describeSchema(test.owner);
    const functions = changed(ownRelease(), RUNS, rewrite);
    expect(functions).not.toEqual(ownRelease().functions);
    const attempt = migrate(test.ownerUrl, { ...nextRelease(), functions });
    await expect(attempt).rejects.toMatchObject({ name: 'SandgateError', code: 'conflict' });
    await expect(attempt).rejects.toThrow(/gets a new name, because the version before still calls the old one/);
    expect(await describeSchema(test.owner)).toBe(before);
    expect(await migrate(test.ownerUrl)).toEqual([]);
  });

  it('that cannot be made are told by their file', async () => {
    const functions = changed(ownRelease(), RUNS, (sql) => `${sql}\nselect nothing_of_the_kind();`);
    await expect(migrate(test.ownerUrl, { ...ownRelease(), functions })).rejects.toThrow(
      /^functions\/runs\.sql: function nothing_of_the_kind\(\) does not exist/,
    );
  });
});

describe('a database', () => {
  it('that a newer version has migrated is left as it is', async () => {
    expect(await migrate(test.ownerUrl, nextRelease())).toEqual(['CountHeartbeats1900000000000', RUNS]);
    const newer = await describeSchema(test.owner);
    expect(await migrate(test.ownerUrl)).toEqual([]);
    expect(await describeSchema(test.owner)).toBe(newer);
  });

  it('whose functions alone are of a newer version is left as it is, too', async () => {
    const functions = changed(ownRelease(), RUNS, (sql) => `${sql}\n-- Newer.\n`);
    expect(await migrate(test.ownerUrl, { ...ownRelease(), version: '99.0.0', functions })).toEqual([RUNS]);
    expect(await migrate(test.ownerUrl)).toEqual([]);
  });

  it('CP-327 is not given isolation while a process that does not know it is at work: it fails at once, and documentation says so', async () => {
    await test.owner.query('drop schema public cascade; create schema public');
    const before = await describeSchema(test.owner);
    await withClient({ connectionString: test.ownerUrl, application_name: 'sandgate-worker' }, async () => {
      const started = performance.now();
      const attempt = migrate(test.ownerUrl);
      await expect(attempt).rejects.toMatchObject({ name: 'SandgateError', code: 'conflict' });
      await expect(attempt).rejects.toThrow(/at work there \(sandgate-worker\): stop them, .* nothing was changed/);
      expect(performance.now() - started).toBeLessThan(FAST_MS);
    });
    expect(await describeSchema(test.owner)).toBe(before);
    expect(await migrate(test.ownerUrl)).toContain('CreateBaseline1800000000000');
    const operations = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
    expect(operations).toMatch(/first migration brings the isolation of organizations.* [Ss]top/);
  });

  it('CP-327 that another chain of migrations has made is refused with a sentence, and stays as it is', async () => {
    await test.owner.query(`
      delete from schema_migrations;
      insert into schema_migrations (timestamp, name) values
        (1700000000001, 'CreateRoles1700000000001'), (1700000000131, 'IndexAskedCalls1700000000131')`);
    const attempt = migrate(test.ownerUrl);
    await expect(attempt).rejects.toMatchObject({ name: 'SandgateError', code: 'conflict' });
    await expect(attempt).rejects.toThrow(
      /does not continue \(2 migrations, the last is IndexAskedCalls1700000000131\): export the ledgers .* new database/,
    );
    const { rows } = await test.owner.query('select count(*)::int as migrations from schema_migrations');
    expect(rows).toEqual([{ migrations: 2 }]);
    const built = new URL('../../../dist/src/embedded/service-parts.js', import.meta.url).href;
    const { migrateDatabase } = (await import(built)) as { migrateDatabase: typeof Migrate };
    await expect(migrateDatabase({ PATH: process.env['PATH'], DATABASE_URL: test.ownerUrl })).rejects.toThrow(
      /^the database could not be brought to the current schema: the database was made by a version of Sandgate/,
    );
  });

  it('of which somebody holds a table is given up after a while, and stays as it is', async () => {
    const before = await describeSchema(test.owner);
    const holder = await test.owner.connect();
    try {
      await holder.query('begin; lock table session_heads');
      await expect(migrate(test.ownerUrl, nextRelease(), 200)).rejects.toThrow(
        /waited 200 ms for a table that a transaction of another process holds, and nothing was changed/,
      );
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expect(await describeSchema(test.owner)).toBe(before);
    expect(await migrate(test.ownerUrl, nextRelease())).not.toEqual([]);
  });

  it('is migrated by one of two that come at once, and the other has nothing to do', async () => {
    await test.owner.query('drop schema public cascade; create schema public');
    const done = await Promise.all([migrate(test.ownerUrl), migrate(test.ownerUrl)]);
    expect(done.map((steps) => steps.length > 0).toSorted()).toEqual([false, true]);
  });
});
