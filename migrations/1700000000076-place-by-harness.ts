import type { MigrationInterface, QueryRunner } from 'typeorm';

const DEFINER = 'security definer set search_path = pg_catalog, public, pg_temp';

/**
 * A run is placed on a host that can run its harness. One that no host online can run is passed over, and those behind it are
 * admitted; it stays in line until a host reports the harness, or until its wait is over (chapter 10 §5).
 */
export class PlaceByHarness1700000000076 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- Grants places to those next in line, at most p_limit, and leaves a wake-up for each; returns the wake-ups.
      create or replace function svc_admit_waiting(p_global_max int, p_tenant_max int, p_seen_within_secs int, p_limit int)
      returns setof driver_outbox language plpgsql ${DEFINER} as $$
      declare
        room int;
        candidate record;
        place uuid;
        runs uuid[] := '{}';
        tenants uuid[] := '{}';
        turns bigint[] := '{}';
      begin
        perform svc_lock_admission();
        room := least(p_limit, p_global_max - (select active from capacity_counters where scope = 'deployment'));
        if room <= 0 then return; end if;
        for candidate in
          select c.scope::uuid as tenant, s.id, s.refused_by, s.harness from capacity_counters c
          cross join lateral (
            select w.id, w.created_at, w.refused_by, w.harness, row_number() over (order by w.created_at, w.id) as round
            from (
              select q.id, q.created_at, q.refused_by, q.harness from sessions q
              where q.tenant_id = c.scope::uuid and q.status in ('created', 'queued') and not q.capacity_held
                and (q.not_before is null or q.not_before <= clock_timestamp())
                and not exists (select from session_finalizations f where f.session_id = q.id)
                and exists (select from hosts h where q.harness = any (h.harnesses)
                  and h.last_seen_at > clock_timestamp() - make_interval(secs => p_seen_within_secs))
              order by q.created_at, q.id limit greatest(0, least(room, p_tenant_max - c.active))
            ) w
          ) s
          where c.scope <> 'deployment'
          order by s.round, c.turn, s.created_at, s.id
        loop
          exit when cardinality(runs) >= room;
          -- Behind the row's lock, since somebody may end the run at this moment.
          perform 1 from sessions where id = candidate.id and status in ('created', 'queued') and not capacity_held
            for no key update;
          continue when not found or exists (select from session_finalizations f where f.session_id = candidate.id);
          select h.id into place from hosts h
            cross join lateral (select count(*)::int as taken from sessions s where s.host_id = h.id and s.capacity_held) t
            where h.last_seen_at > clock_timestamp() - make_interval(secs => p_seen_within_secs) and t.taken < h.capacity
              and candidate.harness = any (h.harnesses)
            order by h.id is not distinct from candidate.refused_by, h.capacity - t.taken desc, h.id limit 1;
          if place is null then
            -- Those hosts may be full that have this harness, and others not.
            exit when not exists (select from hosts h
              cross join lateral (select count(*)::int as taken from sessions s where s.host_id = h.id and s.capacity_held) t
              where h.last_seen_at > clock_timestamp() - make_interval(secs => p_seen_within_secs) and t.taken < h.capacity);
            continue;
          end if;
          update sessions set capacity_held = true, host_id = place, admitted_at = clock_timestamp(),
            updated_at = clock_timestamp() where id = candidate.id;
          runs := runs || candidate.id;
          tenants := tenants || candidate.tenant;
          turns := turns || nextval('capacity_turns');
        end loop;
        perform 1 from capacity_counters c where c.scope <> 'deployment' and c.scope = any (tenants::text[])
          order by c.scope for update;
        perform 1 from capacity_counters c where c.scope = 'deployment' for update;
        update capacity_counters c set active = c.active + g.runs, turn = g.turn, updated_at = clock_timestamp()
          from (select t.tenant::text as scope, count(*)::int as runs, max(t.turn) as turn
                from unnest(tenants, turns) as t (tenant, turn) group by t.tenant) g
          where c.scope = g.scope;
        update capacity_counters c set active = c.active + cardinality(runs), updated_at = clock_timestamp()
          where c.scope = 'deployment' and cardinality(runs) > 0;
        return query insert into driver_outbox (tenant_id, session_id, kind)
          select g.tenant, g.run, 'capacity' from unnest(tenants, runs) with ordinality as g (tenant, run, place)
          order by g.place returning *;
      end $$;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
