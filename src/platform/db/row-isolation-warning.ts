import type pg from 'pg';

/**
 * A warning when the role that this process works as is above row-level isolation, else null. In single-admin mode that is
 * no reason to stop: there is one organization (chapter 60 §15).
 */
export async function rowIsolationWarning(pool: pg.Pool): Promise<string | null> {
  const { rows } = await pool.query<{ role: string }>(
    'select rolname as role from pg_roles where rolname = current_user and (rolsuper or rolbypassrls)',
  );
  const [bypassing] = rows;
  if (bypassing === undefined) return null;
  return `the database role ${bypassing.role} bypasses row-level isolation; let DATABASE_URL name a login that may use the role sandgate_app`;
}
