import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ownBySystem } from './row-isolation.js';

/** Counts over all organizations, for the gauges of docs/observability.md: numbers only, no id leaves the function. */
export class MeasureDeployment1700000000085 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- Each part reads a partial index of what is not over yet, so that its cost does not grow with the history.
      create function svc_measure_deployment(p_host_seen_secs int)
      returns table (figure text, label text, value float8) language sql stable security definer
      set search_path = pg_catalog, public, pg_temp as $$
        select 'runs', s.status, count(*)::float8 from sessions s
          where s.status not in ('completed', 'failed', 'cancelled', 'budget_exceeded') group by s.status
        union all
        select 'approvals_pending', null, count(*) from approvals where status = 'pending'
        union all
        select 'reservations_live', null, count(*) from llm_reservations where state = 'reserved'
        union all
        select 'outbox_waiting', null, count(*) from driver_outbox
        union all
        select 'hosts_online', null, count(*) from hosts
          where last_seen_at > clock_timestamp() - make_interval(secs => p_host_seen_secs)
        union all
        select 'host_capacity', null, coalesce(sum(capacity), 0) from hosts
          where last_seen_at > clock_timestamp() - make_interval(secs => p_host_seen_secs)
      $$;
      ${ownBySystem('svc_measure_deployment(int)')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
