import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ownBySystem } from './row-isolation.js';

/**
 * One admission or release at a time decides who takes which place. Without it two admissions could both count the last free
 * place of a host as theirs, and a release could look for the next run just before that run had joined the queue.
 * Lock order: head row, session row, this lock, organization, deployment.
 */
export class SerializeHostChoice1700000000025 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create function svc_lock_admission() returns void language sql as
        $$ select pg_advisory_xact_lock(hashtext('sandgate.admission')) $$;

      -- Of the hosts seen lately, the one with the most free places; none when all are full. Holds the admission lock to the
      -- end of the transaction: who is answered a host either takes the place or leaves it before the next one counts.
      create or replace function svc_choose_host(p_seen_within_secs int) returns table (id uuid)
      language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
      begin
        perform svc_lock_admission();
        return query select h.id from hosts h
          cross join lateral (select count(*)::int as taken from sessions s where s.host_id = h.id and s.capacity_held) t
          where h.last_seen_at > clock_timestamp() - make_interval(secs => p_seen_within_secs) and t.taken < h.capacity
          order by h.capacity - t.taken desc, h.id limit 1;
      end $$;
      ${ownBySystem('svc_choose_host(int)')}

      -- Gives a claim back, once, and leaves an outbox row for each run that may now be admitted; returns those rows. All that
      -- fit are woken: of two releases in a row the second must not wake only the run that the first one woke. A run that is
      -- over without ever having held a place wakes too, since others may have queued behind it.
      create or replace function svc_release_capacity(p_tenant uuid, p_session uuid, p_global_max int, p_tenant_max int)
      returns setof driver_outbox language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        held boolean;
      begin
        perform 1 from session_heads where session_id = p_session and tenant_id = p_tenant for no key update;
        update sessions set capacity_held = false where id = p_session and tenant_id = p_tenant and capacity_held;
        held := found;
        if not held and not exists (select from sessions where id = p_session and tenant_id = p_tenant
                                    and finished_at is not null and queued_at is not null) then
          return;
        end if;
        perform svc_lock_admission();
        perform 1 from capacity_counters where scope = p_tenant::text for update;
        perform 1 from capacity_counters where scope = 'deployment' for update;
        if held then
          update capacity_counters set active = greatest(0, active - 1), updated_at = clock_timestamp()
            where scope in (p_tenant::text, 'deployment');
        end if;
        return query insert into driver_outbox (tenant_id, session_id, kind)
          select q.organization_id, q.session_id, 'capacity' from svc_next_queued(p_global_max, p_tenant_max, 8) q
          returning *;
      end $$;
      ${ownBySystem('svc_release_capacity(uuid, uuid, int, int)')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
