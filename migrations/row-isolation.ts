/**
 * SQL fragments that migrations put beside the table they create. Released migrations depend on this text: to change a
 * policy write a new migration, never edit a fragment in place.
 */

/** The organization of the current transaction; null (no row matches) when none is set. */
export const CURRENT_ORGANIZATION = `nullif(current_setting('svc.tenant', true), '')::uuid`;

export interface IsolationOptions {
  /** Privileges of the runtime role, for example `select, insert`. */
  app: string;
  /** Privileges of the role that owns the cross-organization functions; none by default. */
  system?: string;
  /** Column that names the organization. */
  column?: string;
}

/** Row-level isolation by organization, forced on the owner too, with the grants of both runtime roles (chapter 60 §15). */
export function isolateByOrganization(table: string, options: IsolationOptions): string {
  const match = `${options.column ?? 'tenant_id'} = ${CURRENT_ORGANIZATION}`;
  const system =
    options.system === undefined
      ? ''
      : `
    create policy cross_organization on ${table} to sandgate_system using (true) with check (true);
    grant ${options.system} on ${table} to sandgate_system;`;
  return `
    alter table ${table} enable row level security;
    alter table ${table} force row level security;
    create policy own_organization on ${table} using (${match}) with check (${match});
    grant ${options.app} on ${table} to sandgate_app;${system}`;
}

/** Beside {@link isolateByOrganization}: rows without an organization are read by all; writing them stays with `sandgate_system` (chapter 60 §15). */
export function showGlobalRows(table: string, column = 'tenant_id'): string {
  return `
    create policy global_rows on ${table} for select to sandgate_app using (${column} is null);`;
}

/** Refuses update, delete and truncate of an insert-only table for everybody, the owner included. */
export function makeInsertOnly(table: string): string {
  return `
    create trigger refuse_change before update or delete or truncate on ${table}
      for each statement execute function svc_refuse_change();`;
}

/**
 * A function of the closed cross-organization list: runs as `sandgate_system`, callable by the runtime role alone. An owner
 * needs CREATE on the schema at the moment it is given a function, and at no other.
 */
export function ownBySystem(signature: string): string {
  return `
    grant create on schema public to sandgate_system;
    alter function ${signature} owner to sandgate_system;
    revoke create on schema public from sandgate_system;
    revoke all on function ${signature} from public;
    grant execute on function ${signature} to sandgate_app;`;
}
