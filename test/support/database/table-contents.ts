import type pg from 'pg';

/** Rows and a digest of the contents of every table, from the catalog of tables, so that a new table is looked at too. */
export async function tableContents(owner: pg.Pool): Promise<Record<string, string>> {
  const tables = await owner.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  );
  const contents: Record<string, string> = {};
  for (const { name } of tables.rows) {
    const { rows } = await owner.query<{ content: string }>(
      `select count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as content from ${name} t`,
    );
    contents[name] = rows[0]?.content ?? '';
  }
  return contents;
}
