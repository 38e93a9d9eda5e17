import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ownRelease, type SchemaRelease } from '../../../src/platform/postgres/schema-release.js';

/** Expands: a column that the version before does not write, and a function of a new name beside the one that it calls. */
class CountHeartbeats1900000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table session_heads add column heartbeats int not null default 0');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}

/** What the next version calls instead of `svc_heartbeat`, with another answer. */
const HEARTBEAT_OF_NEXT = `
  create or replace function svc_count_heartbeat(p_tenant uuid, p_session uuid, p_by int)
  returns table (status text, heartbeats int)
  language plpgsql
  as $$
  begin
    status := svc_heartbeat(p_tenant, p_session);
    update session_heads h set heartbeats = h.heartbeats + p_by - 1 where h.session_id = p_session
      returning h.heartbeats into heartbeats;
    return next;
  end
  $$;`;

const HEARTBEAT = 'update session_heads set last_heartbeat_at = clock_timestamp() where';

/** A version after this one: a migration, a changed body that uses it under the old name, and a function of its own. */
export function nextRelease(): SchemaRelease {
  const own = ownRelease();
  return {
    version: '99.0.0',
    migrations: [...own.migrations, CountHeartbeats1900000000000],
    functions: changed(own, 'functions/runs.sql', (sql) => {
      const body = sql.replace(
        HEARTBEAT,
        'update session_heads set last_heartbeat_at = clock_timestamp(), heartbeats = heartbeats + 1 where',
      );
      if (body === sql) throw new Error(`functions/runs.sql no longer has "${HEARTBEAT}"`);
      return `${body}\n${HEARTBEAT_OF_NEXT}`;
    }),
  };
}

/** The function files with one of them rewritten. */
export function changed(
  release: SchemaRelease,
  name: string,
  rewrite: (sql: string) => string,
): SchemaRelease['functions'] {
  return release.functions.map((file) => (file.name === name ? { name, sql: rewrite(file.sql) } : file));
}
