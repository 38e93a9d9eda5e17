import { flag, integer, postgresUrl } from './readers.js';
import { setting } from './setting.js';

/** The record: PostgreSQL. */
export class DatabaseConfig {
  @setting({
    variable: 'DATABASE_URL',
    read: postgresUrl,
    default: null,
    secret: true,
    about: 'PostgreSQL 16 or newer. Unset, `sandgate start` runs one of its own inside the data folder.',
  })
  readonly url!: string | null;

  @setting({
    variable: 'SERVICE_DATABASE_POOL',
    read: integer(2, 512),
    default: 16,
    about: 'Connections that one process keeps at most.',
  })
  readonly poolSize!: number;

  @setting({
    variable: 'SERVICE_ALLOW_RLS_BYPASS',
    read: flag,
    default: false,
    about:
      'Start in multi-user mode although the database role could see every organization. Then only the queries keep them apart.',
  })
  readonly allowRlsBypass!: boolean;
}
