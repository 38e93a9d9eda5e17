import type pg from 'pg';
import { translateDatabaseErrors } from './database-errors.js';
import { SANDGATE, type DatabaseProduct } from './database-product.js';

/** The startup option by which a connection acts as the runtime role. */
export const RUNTIME_SESSION = `-c role=${SANDGATE.roles[0]}`;

/** The boot must stop: row-level isolation would not hold (docs/design/identity.md). */
export class RoleRefused extends Error {
  override readonly name = 'RoleRefused';
}

export interface IsolationMode {
  /** Several organizations share the deployment. */
  requireSso: boolean;
  allowRlsBypass: boolean;
}

type Queryable = Pick<pg.ClientBase, 'query'>;

/** Whether migrations have made the roles on this server. */
export async function hasRuntimeRole(db: Queryable): Promise<boolean> {
  return (await db.query('select from pg_roles where rolname = $1', [SANDGATE.roles[0]])).rowCount === 1;
}

/**
 * Checks at boot that the roles have no power but what migrations gave them, and that row-level isolation binds the one that this
 * connection acts as: a superuser, a role with BYPASSRLS or the owner of a table would see every organization. The latter is a warning
 * in single-admin mode, and where the operator allows it (CP-064, CP-065).
 *
 * @returns warnings for the boot log
 * @throws RoleRefused saying what to change
 */
export async function checkRuntimeRoles(
  db: Queryable,
  { requireSso, allowRlsBypass }: IsolationMode,
  roles: readonly string[] = SANDGATE.roles,
  product: DatabaseProduct = SANDGATE,
): Promise<string[]> {
  const { acting, breaches } = await translateDatabaseErrors(async () => ({
    acting: await readActingRole(db),
    breaches: await findBreaches(db, roles, product.startCommand),
  }));
  if (breaches.length > 0) throw new RoleRefused(breaches.join('; '));
  const bypass = describeBypass(acting, roles, product.urlVariable);
  if (bypass === null) return [];
  if (requireSso && !allowRlsBypass) {
    throw new RoleRefused(`${bypass}; ${product.allowBypassVariable}=1 starts without that protection`);
  }
  return [bypass];
}

interface ActingRole {
  name: string;
  superuser: boolean;
  bypasses: boolean;
  owns: boolean;
}

async function readActingRole(db: Queryable): Promise<ActingRole> {
  const { rows } = await db.query<ActingRole>(
    `select r.rolname::text as name, r.rolsuper as superuser, r.rolbypassrls as bypasses,
            exists (select from pg_class c where c.relnamespace = 'public'::regnamespace and c.relowner = r.oid) as owns
     from pg_roles r where r.rolname = current_user`,
  );
  const [role] = rows;
  if (role === undefined) throw new Error('the role of this connection is not in pg_roles');
  return role;
}

function describeBypass(
  { name, superuser, bypasses, owns }: ActingRole,
  roles: readonly string[],
  urlVariable: string,
): string | null {
  const because = [
    ...(superuser ? ['is a superuser'] : []),
    ...(bypasses ? ['has BYPASSRLS'] : []),
    ...(owns ? ['owns tables'] : []),
  ];
  if (because.length === 0) return null;
  const fix = roles.includes(name)
    ? `run: alter role ${name} nosuperuser nobypassrls`
    : `connections must act as ${roles[0]}: connect to PostgreSQL directly, not through a pooler that drops the startup option role`;
  return `${urlVariable}: the database role ${name} ${because.join(' and ')}, so row-level isolation does not bind it; ${fix}`;
}

interface RoleRow {
  name: string;
  there: boolean;
  acting: boolean;
  /** Powers as `alter role` spells them. */
  powers: string[];
  member_of: string[];
  granted_to: string[];
}

/**
 * Roles belong to the whole server, so another database of it may have its own login in them. That is harmless only while this login
 * cannot connect here: it could set any organization.
 */
async function findBreaches(db: Queryable, roles: readonly string[], startCommand: string): Promise<string[]> {
  const { rows } = await db.query<RoleRow>(
    `select n.name, r.oid is not null as there, n.name = current_user as acting,
            array_remove(array[case when r.rolcanlogin then 'login' end, case when r.rolsuper then 'superuser' end,
              case when r.rolbypassrls then 'bypassrls' end, case when r.rolcreaterole then 'createrole' end,
              case when r.rolcreatedb then 'createdb' end, case when r.rolreplication then 'replication' end], null) as powers,
            array(select distinct g.rolname::text from pg_auth_members m join pg_roles g on g.oid = m.roleid
                  where m.member = r.oid order by 1) as member_of,
            array(select distinct g.rolname::text from pg_auth_members m join pg_roles g on g.oid = m.member
                  where m.roleid = r.oid and g.rolname <> session_user
                    and has_database_privilege(g.oid, current_database(), 'connect') order by 1) as granted_to
     from pg_catalog.unnest($1::text[]) with ordinality as n (name, place) left join pg_roles r on r.rolname = n.name
     order by n.place`,
    [roles],
  );
  return rows.flatMap((row) => describeBreaches(row, startCommand));
}

function describeBreaches(
  { name, there, acting, powers, member_of: memberOf, granted_to: grantedTo }: RoleRow,
  startCommand: string,
): string[] {
  if (!there)
    return [`the database role ${name} is missing: run \`${startCommand}\` with a login that may create roles`];
  // What lets the acting role past row-level isolation is judged apart: it depends on the mode.
  const excess = acting ? powers.filter((power) => power !== 'superuser' && power !== 'bypassrls') : powers;
  return [
    ...(excess.length === 0
      ? []
      : [
          `the database role ${name} has ${excess.join(', ').toUpperCase()}; run: alter role ${name} ` +
            excess.map((power) => `no${power}`).join(' '),
        ]),
    ...memberOf.map((other) => `the database role ${name} is a member of ${other}; run: revoke ${other} from ${name}`),
    ...grantedTo.map(
      (other) =>
        `the database role ${name} is granted to ${other}, who can connect to this database and would see every organization; ` +
        `run: revoke ${name} from ${other}, or let neither public nor ${other} connect to it`,
    ),
  ];
}
