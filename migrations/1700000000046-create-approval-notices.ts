import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization, ownBySystem } from './row-isolation.js';

const DEFINER = 'security definer set search_path = pg_catalog, public, pg_temp';

/**
 * What became of the notice of each approval: one row per approval, written by the workflow that sends it. `overtaken` was
 * decided before the receiver took it, `failed` used up its attempts.
 */
export class CreateApprovalNotices1700000000046 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table approval_notices (
        approval_id uuid primary key,
        tenant_id uuid not null,
        session_id uuid not null,
        state text not null check (state in ('retrying', 'delivered', 'overtaken', 'failed')),
        attempts int not null,
        last_error text,
        updated_at timestamptz not null default clock_timestamp()
      );
      create index approval_notices_failed on approval_notices (updated_at) where state = 'failed';
      ${isolateByOrganization('approval_notices', { app: 'select, insert, update', system: 'select' })}

      -- Questions that still wait and whose notice has no end: a driver that lost its store starts them again.
      create function svc_list_unnoticed_approvals(p_older_than_ms int, p_limit int)
      returns table (organization_id uuid, session_id uuid, approval_id uuid) language sql stable ${DEFINER} as $$
        select a.tenant_id, a.session_id, a.id from approvals a
        left join approval_notices n on n.approval_id = a.id
        where a.status = 'pending' and a.expires_at > clock_timestamp()
          and a.requested_at <= clock_timestamp() - make_interval(secs => p_older_than_ms / 1000.0)
          and (n.approval_id is null or n.state = 'retrying')
        order by a.requested_at limit p_limit
      $$;
      ${ownBySystem('svc_list_unnoticed_approvals(int, int)')}

      create function svc_count_failed_notices(p_hours int) returns bigint language sql stable ${DEFINER} as $$
        select count(*) from approval_notices
        where state = 'failed' and updated_at > clock_timestamp() - make_interval(hours => p_hours)
      $$;
      ${ownBySystem('svc_count_failed_notices(int)')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
