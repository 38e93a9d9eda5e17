import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ownBySystem } from './row-isolation.js';

const DEFINER = 'security definer set search_path = pg_catalog, public, pg_temp';

/** A wake-up that the driver refuses is tried again ever more rarely, so that it never fills the batch of the others. */
export class DeferOutbox1700000000057 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table driver_outbox
        add column attempts int not null default 0,
        add column retry_at timestamptz;
      grant update on driver_outbox to sandgate_system;

      create or replace function svc_read_outbox(p_older_than_ms int, p_limit int)
      returns table (id bigint, organization_id uuid, session_id uuid, kind text) language sql stable ${DEFINER} as $$
        select o.id, o.tenant_id, o.session_id, o.kind from driver_outbox o
        where o.created_at <= clock_timestamp() - make_interval(secs => p_older_than_ms / 1000.0)
          and (o.retry_at is null or o.retry_at <= clock_timestamp())
        order by o.attempts, o.id limit p_limit
      $$;

      -- 2 s after the first refusal, twice as long after each further one, at most five minutes.
      create function svc_defer_outbox(p_ids bigint[]) returns void language sql ${DEFINER} as $$
        update driver_outbox set attempts = attempts + 1,
          retry_at = clock_timestamp() + make_interval(secs => least(300, 2 ^ least(attempts + 1, 10)))
          where id = any (p_ids)
      $$;
      ${ownBySystem('svc_defer_outbox(bigint[])')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
