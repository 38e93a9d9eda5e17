import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ownBySystem } from './row-isolation.js';

const DEFINER = 'security definer set search_path = pg_catalog, public, pg_temp';

/** The closed list of look-ups across organizations (00-design §4). Each answers ids, states and numbers, never content. */
export class CreateSystemFunctions1700000000021 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create function svc_lookup_run_token(p_sha256 text)
      returns table (token_id uuid, organization_id uuid, session_id uuid, audience text, expired boolean, revoked boolean)
      language sql stable ${DEFINER} as $$
        select t.id, t.tenant_id, t.session_id, t.audience,
               coalesce(t.expires_at <= clock_timestamp(), false), t.revoked_at is not null
        from api_tokens t where t.token_sha256 = p_sha256
      $$;
      ${ownBySystem('svc_lookup_run_token(text)')}

      create function svc_find_organization(p_slug text) returns table (id uuid, slug text, name text, created_at timestamptz)
      language sql stable ${DEFINER} as $$
        select o.id, o.slug, o.name, o.created_at from organizations o where o.slug = p_slug
      $$;
      ${ownBySystem('svc_find_organization(text)')}

      create function svc_list_organizations() returns table (id uuid, slug text, name text, created_at timestamptz)
      language sql stable ${DEFINER} as $$
        select o.id, o.slug, o.name, o.created_at from organizations o order by o.slug
      $$;
      ${ownBySystem('svc_list_organizations()')}

      create function svc_read_outbox(p_older_than_ms int, p_limit int)
      returns table (id bigint, organization_id uuid, session_id uuid, kind text) language sql stable ${DEFINER} as $$
        select o.id, o.tenant_id, o.session_id, o.kind from driver_outbox o
        where o.created_at <= clock_timestamp() - make_interval(secs => p_older_than_ms / 1000.0)
        order by o.id limit p_limit
      $$;
      ${ownBySystem('svc_read_outbox(int, int)')}

      create function svc_delete_outbox(p_ids bigint[]) returns void language sql ${DEFINER} as $$
        delete from driver_outbox where id = any (p_ids)
      $$;
      ${ownBySystem('svc_delete_outbox(bigint[])')}

      create function svc_list_unfinished_runs(p_after uuid, p_limit int)
      returns table (organization_id uuid, session_id uuid, status text, host_id uuid, has_intent boolean,
                     created_at timestamptz, updated_at timestamptz) language sql stable ${DEFINER} as $$
        select s.tenant_id, s.id, s.status, s.host_id, f.session_id is not null, s.created_at, s.updated_at
        from sessions s left join session_finalizations f on f.session_id = s.id
        where s.status not in ('completed', 'failed', 'cancelled', 'budget_exceeded')
          and (p_after is null or s.id > p_after)
        order by s.id limit p_limit
      $$;
      ${ownBySystem('svc_list_unfinished_runs(uuid, int)')}

      -- Terminal runs whose cleanup is not confirmed: the intent row is the retry ticket.
      create function svc_list_uncleaned_runs(p_limit int)
      returns table (organization_id uuid, session_id uuid, status text) language sql stable ${DEFINER} as $$
        select s.tenant_id, s.id, s.status from session_finalizations f join sessions s on s.id = f.session_id
        where s.status in ('completed', 'failed', 'cancelled', 'budget_exceeded') order by f.created_at limit p_limit
      $$;
      ${ownBySystem('svc_list_uncleaned_runs(int)')}

      create function svc_list_host_runs(p_host uuid)
      returns table (organization_id uuid, session_id uuid, status text) language sql stable ${DEFINER} as $$
        select s.tenant_id, s.id, s.status from sessions s
        where s.host_id = p_host and s.status not in ('completed', 'failed', 'cancelled', 'budget_exceeded')
      $$;
      ${ownBySystem('svc_list_host_runs(uuid)')}

      create function svc_find_runs(p_ids uuid[]) returns table (organization_id uuid, session_id uuid, status text, host_id uuid)
      language sql stable ${DEFINER} as $$
        select s.tenant_id, s.id, s.status, s.host_id from sessions s where s.id = any (p_ids)
      $$;
      ${ownBySystem('svc_find_runs(uuid[])')}

      create function svc_list_overdue_approvals(p_limit int) returns table (organization_id uuid, session_id uuid)
      language sql stable ${DEFINER} as $$
        select distinct a.tenant_id, a.session_id from approvals a
        where a.status = 'pending' and a.expires_at <= clock_timestamp() limit p_limit
      $$;
      ${ownBySystem('svc_list_overdue_approvals(int)')}

      -- Reservations whose process lost its lease, or that outlived their own deadline.
      create function svc_list_dead_reservations(p_limit int)
      returns table (organization_id uuid, session_id uuid, reservation_id uuid) language sql stable ${DEFINER} as $$
        select r.tenant_id, r.session_id, r.id from llm_reservations r
        left join process_leases l on l.id = r.process_id and l.lease_expires_at > clock_timestamp()
        where r.state = 'reserved' and (l.id is null or r.expires_at <= clock_timestamp()) limit p_limit
      $$;
      ${ownBySystem('svc_list_dead_reservations(int)')}

      create function svc_sweep_expired(p_limit int, p_idempotency_days int) returns int language plpgsql ${DEFINER} as $$
      declare
        swept int;
        total int := 0;
      begin
        delete from tool_call_payloads where ctid = any (array(
          select ctid from tool_call_payloads where expires_at <= clock_timestamp() limit p_limit));
        get diagnostics swept = row_count; total := total + swept;
        delete from idempotency_keys where ctid = any (array(
          select ctid from idempotency_keys where created_at < clock_timestamp() - make_interval(days => p_idempotency_days)
          limit p_limit));
        get diagnostics swept = row_count; total := total + swept;
        delete from process_leases where lease_expires_at < clock_timestamp() - interval '1 hour';
        get diagnostics swept = row_count;
        return total + swept;
      end $$;
      ${ownBySystem('svc_sweep_expired(int, int)')}

      -- What is sealed, and how: for the boot checks of chapter 40 §9.4.
      create function svc_sealed_rows() returns table (place text, key_version int, rows bigint)
      language sql stable ${DEFINER} as $$
        select 'tool_call_payloads.sealed', p.key_version::int, count(*) from tool_call_payloads p
        where p.key_version > 0 group by p.key_version
      $$;
      ${ownBySystem('svc_sealed_rows()')}

      create function svc_list_keks() returns table (kek_id text, organization_id uuid, version int, wrapped_dek bytea)
      language sql stable ${DEFINER} as $$
        select distinct on (d.kek_id) d.kek_id, d.tenant_id, d.version, d.wrapped_dek from tenant_deks d
        order by d.kek_id, d.created_at
      $$;
      ${ownBySystem('svc_list_keks()')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
