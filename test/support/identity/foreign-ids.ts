import { readTenantTables } from '../database/planted-rows.js';
import type { TestDatabase } from '../database/database.js';

/** A value that names a row of an organization, and where it stands. */
export interface NamingValue {
  /** `agents.name` */
  kind: string;
  value: string;
  isUuid: boolean;
}

const ROWS_OF_A_KIND = 4;
const ROWS_READ = 100;
const LONGEST_NAME = 100;
/** Digests, and what plantRow puts into columns of text: no name that anything could be asked by. */
const NO_NAME = /^((sha256:)?[0-9a-f]{64}|planted-.*)$/;

interface UniqueColumn {
  table: string;
  tenant: string;
  name: string;
  type: string;
}

/** Ids and names of an organization's rows: what the unique columns of all tables hold, from the catalog, oldest first. */
async function namingValues(database: TestDatabase, organizationId: string): Promise<NamingValue[]> {
  const found = new Map<string, NamingValue>();
  for (const { table, tenant, name, type } of await uniqueColumns(database)) {
    const { rows } = await database.owner.query<{ value: string }>(
      `select ${name}::text as value from ${table} where ${tenant} = $1 and ${name} is not null
       group by 1 order by 1 limit ${ROWS_READ}`,
      [organizationId],
    );
    for (const { value } of rows) {
      if (value.length > LONGEST_NAME || NO_NAME.test(value) || found.has(value)) continue;
      found.set(value, { kind: `${table}.${name}`, value, isUuid: type === 'uuid' });
    }
  }
  return [...found.values()];
}

/** Of each organization, the values that none of the others has: names that are seeded or closed sets name no row of anybody. */
export async function ownNames(database: TestDatabase, organizations: readonly string[]): Promise<NamingValue[][]> {
  const all: NamingValue[][] = [];
  for (const id of organizations) all.push(await namingValues(database, id));
  return all.map((values, at) => {
    const others = new Set(all.flatMap((more, index) => (index === at ? [] : more.map(({ value }) => value))));
    return firstOfEach(
      values.filter(({ value }) => !others.has(value)),
      ROWS_OF_A_KIND,
    );
  });
}

/** The first rows of each kind. */
export function firstOfEach(values: readonly NamingValue[], count: number): NamingValue[] {
  const seen = new Map<string, number>();
  return values.filter(({ kind }) => {
    const nth = seen.get(kind) ?? 0;
    seen.set(kind, nth + 1);
    return nth < count;
  });
}

/** Columns called `id` first. A column that refers to rows of another table is no kind of its own: that table has their ids. */
async function uniqueColumns(database: TestDatabase): Promise<UniqueColumn[]> {
  const tenants = new Map((await readTenantTables(database)).map(({ name, tenant }) => [name, tenant]));
  const { rows } = await database.owner.query<Omit<UniqueColumn, 'tenant'>>(
    `select distinct c.relname as table, a.attname as name, format_type(a.atttypid, null) as type, a.attname <> 'id' as later
     from pg_index i
       join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
     where i.indisunique and a.attname <> 'tenant_id' and format_type(a.atttypid, null) in ('uuid', 'text')
       and not exists (select 1 from pg_constraint f where f.conrelid = c.oid and f.contype = 'f' and a.attnum = any (f.conkey))
     order by later, 1, 2`,
  );
  return rows.flatMap((row) => {
    const tenant = tenants.get(row.table);
    return tenant === undefined ? [] : [{ ...row, tenant }];
  });
}

/** Rows of one organization, and those of none, in every tenant table: how many, and a digest of what they hold. */
export async function rowsOf(database: TestDatabase, organizationId: string): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const { name, tenant } of await readTenantTables(database)) {
    const { rows } = await database.owner.query<{ content: string }>(
      `select count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as content from ${name} t
       where ${tenant} = $1 or ${tenant} is null`,
      [organizationId],
    );
    contents[name] = rows[0]?.content ?? '';
  }
  return contents;
}

/** How many rows each table of organizations has, whosever they are. */
export async function countRows(database: TestDatabase): Promise<Record<string, number>> {
  const tables = (await readTenantTables(database)).map(({ name }) => name);
  const counts = tables.map((name) => `select '${name}' as name, count(*)::int as count from ${name}`);
  const { rows } = await database.owner.query<{ name: string; count: number }>(counts.join(' union all '));
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}
