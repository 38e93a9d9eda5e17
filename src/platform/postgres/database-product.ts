/** How one product's database differs from another's: what it is called there, and by which words a person finds its settings. */
export interface DatabaseProduct {
  /** As people know it. */
  readonly name: string;
  /** Begins the name of each of its connections. */
  readonly applicationPrefix: string;
  /** The setting of a session by which row-level isolation knows the organization. */
  readonly organizationSetting: string;
  /** What processes act as, and what owns the functions across organizations: the roles of its `roles.sql`. */
  readonly roles: readonly [runtime: string, definer: string];
  /** Begins the names of its functions. */
  readonly functionPrefix: string;
  /** Every process takes this advisory lock before it migrates, so that two that start together do not race. */
  readonly migrationLock: number;
  /** The command that makes the roles and the schema. */
  readonly startCommand: string;
  readonly urlVariable: string;
  readonly allowBypassVariable: string;
  /** What to do about a database of another chain of migrations. */
  readonly otherSchemaAdvice: string;
}

/** The control plane. */
export const SANDGATE: DatabaseProduct = Object.freeze({
  name: 'Sandgate',
  applicationPrefix: 'sandgate',
  organizationSetting: 'service.tenant_id',
  roles: Object.freeze(['sandgate_app', 'sandgate_system'] as const),
  functionPrefix: 'svc_',
  migrationLock: 7_236_401,
  startCommand: 'sandgate start',
  urlVariable: 'DATABASE_URL',
  allowBypassVariable: 'SERVICE_ALLOW_RLS_BYPASS',
  otherSchemaAdvice:
    'export the ledgers you need with that version (sandgate audit export), then start this one with a new database, another ' +
    'DATABASE_URL or SERVICE_DATA_DIR',
});
