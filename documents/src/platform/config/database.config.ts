import { flag, integer, postgresUrl } from '../../../../src/platform/config/readers.js';
import { setting } from '../../../../src/platform/config/setting.js';

/** The record: PostgreSQL. */
export class DatabaseConfig {
  @setting({
    variable: 'DOCSVC_DATABASE_URL',
    read: postgresUrl,
    default: null,
    secret: true,
    about:
      'PostgreSQL 16 or newer, a database of its own. Unset, `npm start -w documents` runs one of its own inside the data folder.',
  })
  readonly url!: string | null;

  @setting({
    variable: 'DOCSVC_DATABASE_POOL',
    read: integer(2, 512),
    default: 16,
    about: 'Connections that one process keeps at most.',
  })
  readonly poolSize!: number;

  @setting({
    variable: 'DOCSVC_ALLOW_RLS_BYPASS',
    read: flag,
    default: false,
    about:
      'Start although the database role could see every organization. Then only the queries keep organizations apart.',
  })
  readonly allowRlsBypass!: boolean;
}
