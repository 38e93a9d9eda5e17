import type pg from 'pg';
import { translateDatabaseErrors } from './database-errors.js';

/**
 * What the boot log has to say about the role that this process runs as. Row-level isolation must bind it: a superuser, a
 * role with BYPASSRLS or the owner of a table would see every organization (docs/design/identity.md). In single-admin mode that is a
 * warning; who needs more refuses the boot on it.
 */
export async function describeRuntimeRole(pool: pg.Pool): Promise<string[]> {
  const { rows } = await translateDatabaseErrors(() =>
    pool.query<{ name: string; superuser: boolean; bypasses: boolean; owns: boolean }>(
      `select r.rolname as name, r.rolsuper as superuser, r.rolbypassrls as bypasses,
              exists (select from pg_class c where c.relnamespace = 'public'::regnamespace and c.relowner = r.oid) as owns
       from pg_roles r where r.rolname = current_user`,
    ),
  );
  const role = rows[0];
  if (role === undefined) return [];
  const because = [
    ...(role.superuser ? ['is a superuser'] : []),
    ...(role.bypasses ? ['has BYPASSRLS'] : []),
    ...(role.owns ? ['owns tables'] : []),
  ];
  if (because.length === 0) return [];
  return [
    `DATABASE_URL: the database role ${role.name} ${because.join(' and ')}, so row-level isolation does not bind it`,
  ];
}
