import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ownBySystem } from './row-isolation.js';

/** Which sandbox host takes the next run; it counts runs of every organization, so it belongs to the system role. */
export class CreateHostChoice1700000000022 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create index sessions_of_host on sessions (host_id) where capacity_held;

      -- Of the hosts seen lately, the one with the most free places; none when all are full.
      create function svc_choose_host(p_seen_within_secs int) returns table (id uuid)
      language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
        select h.id from hosts h
        cross join lateral (select count(*)::int as taken from sessions s where s.host_id = h.id and s.capacity_held) t
        where h.last_seen_at > clock_timestamp() - make_interval(secs => p_seen_within_secs) and t.taken < h.capacity
        order by h.capacity - t.taken desc, h.id limit 1
      $$;
      ${ownBySystem('svc_choose_host(int)')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
