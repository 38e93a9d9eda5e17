import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { PolicyEntity } from '../../../src/core/policies/policy.entity.js';
import { changeRow, insertUnlessThere, updateRow } from '../../../src/platform/postgres/write-rows.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createOrganization } from '../../support/runs/run-fixture.js';

const CORE = fileURLToPath(new URL('../../../src/core/', import.meta.url));

/** PostgreSQL's own names of the types that entities name by their SQL names. */
const UDT: Record<string, string> = {
  integer: 'int4',
  bigint: 'int8',
  smallint: 'int2',
  boolean: 'bool',
  'timestamp with time zone': 'timestamptz',
};

interface ColumnRow {
  table_name: string;
  column_name: string;
  nullable: boolean;
  type: string;
}

/** Classes of this product; suites of the documents service, which ran before in the same process, have declared others. */
const ours = new Set<unknown>();
let test: TestDatabase;
let organizationId: string;

beforeAll(async () => {
  for (const path of globSync('*/*.entity.ts', { cwd: CORE })) {
    const module = (await import(`../../../src/core/${path.replace(/\.ts$/, '.js')}`)) as object;
    Object.values(module).forEach((exported) => ours.add(exported));
  }
  test = await createTestDatabase();
  ({ organizationId } = await createOrganization(test.db));
});
afterAll(() => test.close());

describe('entities', () => {
  it('have columns that their tables have, of the same type, null where those may be null', async () => {
    const { rows } = await test.owner.query<ColumnRow>(
      `select table_name, column_name, is_nullable = 'YES' as nullable, udt_name as type
         from information_schema.columns where table_schema = 'public'`,
    );
    const known = new Map(rows.map((row) => [`${row.table_name}.${row.column_name}`, row]));
    const declared = await test.db.withTenant(organizationId, ({ manager }) => {
      const { driver, entityMetadatas } = manager.connection;
      return Promise.resolve(
        entityMetadatas
          .filter(({ target }) => ours.has(target))
          .flatMap(({ tableName, columns }) =>
            columns.map((column) => ({
              name: `${tableName}.${column.databaseName}`,
              nullable: column.isNullable,
              type: driver.normalizeType(column),
              array: column.isArray,
            })),
          ),
      );
    });
    expect(declared.length).toBeGreaterThan(150);
    for (const { name, nullable, type, array } of declared)
      expect({ name, nullable, type: UDT[type] ?? type, array }).toEqual({
        name,
        nullable: known.get(name)?.nullable,
        type: known.get(name)?.type.replace(/^_/, ''),
        array: known.get(name)?.type.startsWith('_'),
      });
  });
});

describe('a row', () => {
  const named = (name: string) => ({ id: uuidv7(), tenant_id: organizationId, name });

  it('is inserted once: who comes second hears that one is there', async () => {
    const [first, second] = await Promise.all(
      [1, 2].map(() => test.db.withTenant(organizationId, (tx) => insertUnlessThere(tx, PolicyEntity, named('twice')))),
    );
    const made = [first, second].filter((row) => row !== null);
    expect(made).toEqual([expect.objectContaining({ name: 'twice', tenant_id: organizationId })]);
  });

  it('is changed only while it is as its reader saw it', async () => {
    await test.db.withTenant(organizationId, async (tx) => {
      const row = await insertUnlessThere(tx, PolicyEntity, named('before'));
      const id = row?.id ?? '';
      expect(await updateRow(tx, PolicyEntity, { id, name: 'before' }, { name: 'after' })).toMatchObject({
        id,
        name: 'after',
      });
      expect(await updateRow(tx, PolicyEntity, { id, name: 'before' }, { name: 'lost' })).toBeNull();
      expect(await changeRow(tx, PolicyEntity, { id, name: 'before' }, { name: 'lost' })).toBe(false);
      expect(await tx.manager.findOneByOrFail(PolicyEntity, { id })).toMatchObject({ name: 'after' });
    });
  });
});
