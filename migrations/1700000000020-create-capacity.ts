import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ownBySystem } from './row-isolation.js';

/**
 * Admission counters: one row for the deployment and one per organization, claimed together or not at all (chapter 10 §5).
 * Nobody but `sandgate_system` reads or writes them. Lock order: head row, session row, organization, deployment.
 */
export class CreateCapacity1700000000020 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table capacity_counters (
        scope text primary key,
        active int not null default 0 check (active >= 0),
        updated_at timestamptz not null default now()
      );
      insert into capacity_counters (scope) values ('deployment');
      grant select, insert, update on capacity_counters to sandgate_system;

      -- 'claimed', also on repetition; 'full'; 'behind' an older queued run of the organization; 'not_waiting'.
      create function svc_claim_capacity(p_tenant uuid, p_session uuid, p_global_max int, p_tenant_max int)
      returns text language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        run record;
        mine int;
        everyone int;
      begin
        perform 1 from session_heads where session_id = p_session and tenant_id = p_tenant for no key update;
        select status, capacity_held, queued_at into run from sessions
          where id = p_session and tenant_id = p_tenant for no key update;
        if not found then return 'not_waiting'; end if;
        if run.capacity_held then return 'claimed'; end if;
        if run.status not in ('created', 'queued') then return 'not_waiting'; end if;
        insert into capacity_counters (scope) values (p_tenant::text) on conflict (scope) do nothing;
        select active into mine from capacity_counters where scope = p_tenant::text for update;
        select active into everyone from capacity_counters where scope = 'deployment' for update;
        if exists (select from sessions where tenant_id = p_tenant and status = 'queued' and not capacity_held and id <> p_session
                   and (run.queued_at is null or (queued_at, id) < (run.queued_at, p_session))) then
          return 'behind';
        end if;
        if mine >= p_tenant_max or everyone >= p_global_max then return 'full'; end if;
        update capacity_counters set active = active + 1, updated_at = clock_timestamp()
          where scope in (p_tenant::text, 'deployment');
        update sessions set capacity_held = true, admitted_at = clock_timestamp(), updated_at = clock_timestamp()
          where id = p_session;
        return 'claimed';
      end $$;
      ${ownBySystem('svc_claim_capacity(uuid, uuid, int, int)')}

      -- Heads of the queue: the oldest queued run of each organization, then the second of each, and so on, so that
      -- organizations take turns; organizations at their cap are passed over.
      create function svc_next_queued(p_global_max int, p_tenant_max int, p_limit int)
      returns table (organization_id uuid, session_id uuid) language sql stable security definer
      set search_path = pg_catalog, public, pg_temp as $$
        select w.tenant_id, w.id from (
          select s.tenant_id, s.id, s.queued_at, coalesce(c.active, 0) as active,
                 row_number() over (partition by s.tenant_id order by s.queued_at, s.id) as turn
          from sessions s left join capacity_counters c on c.scope = s.tenant_id::text
          where s.status = 'queued' and not s.capacity_held
        ) w
        where p_tenant_max is null or w.active + w.turn <= p_tenant_max
        order by w.turn, w.queued_at, w.id
        limit greatest(0, least(p_limit, p_global_max - (select active from capacity_counters where scope = 'deployment')))
      $$;
      ${ownBySystem('svc_next_queued(int, int, int)')}

      -- Gives a claim back, once, and leaves an outbox row for each run that may now be admitted; returns those rows.
      create function svc_release_capacity(p_tenant uuid, p_session uuid, p_global_max int, p_tenant_max int)
      returns setof driver_outbox language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      begin
        perform 1 from session_heads where session_id = p_session and tenant_id = p_tenant for no key update;
        update sessions set capacity_held = false where id = p_session and tenant_id = p_tenant and capacity_held;
        if not found then return; end if;
        perform 1 from capacity_counters where scope = p_tenant::text for update;
        perform 1 from capacity_counters where scope = 'deployment' for update;
        update capacity_counters set active = greatest(0, active - 1), updated_at = clock_timestamp()
          where scope in (p_tenant::text, 'deployment');
        return query insert into driver_outbox (tenant_id, session_id, kind)
          select q.organization_id, q.session_id, 'capacity' from svc_next_queued(p_global_max, p_tenant_max, 1) q
          returning *;
      end $$;
      ${ownBySystem('svc_release_capacity(uuid, uuid, int, int)')}

      -- Sets both kinds of counters to what the runs say; returns how many were wrong.
      create function svc_recount_capacity() returns int language plpgsql security definer
      set search_path = pg_catalog, public, pg_temp as $$
      declare
        wrong int;
      begin
        -- The counters are locked before the runs are counted, so that no claim is in between.
        perform 1 from capacity_counters where scope <> 'deployment' order by scope for update;
        perform 1 from capacity_counters where scope = 'deployment' for update;
        with truth as (
          select c.scope, count(s.id)::int as active from capacity_counters c
          left join sessions s on s.capacity_held and (c.scope = 'deployment' or s.tenant_id::text = c.scope)
          group by c.scope
        )
        update capacity_counters c set active = truth.active, updated_at = clock_timestamp()
          from truth where truth.scope = c.scope and truth.active <> c.active;
        get diagnostics wrong = row_count;
        return wrong;
      end $$;
      ${ownBySystem('svc_recount_capacity()')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
