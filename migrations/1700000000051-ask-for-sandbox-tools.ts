import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The cross-check of 04-sandbox §1 covers the tools of sandbox servers: a harness runs those itself, so the gate must have decided
 * them. Exempt are the slots of the run's frozen brokered surfaces alone, whose calls the broker gates under ids of its own.
 */
export class AskForSandboxTools1700000000051 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create function svc_is_brokered(p_session uuid, p_tool text) returns boolean language sql stable as $$
        select exists (
          select from sessions s, jsonb_array_elements(s.run_spec -> 'brokered') as b (surface)
          where s.id = p_session and starts_with(p_tool, 'mcp__' || (b.surface ->> 'slot') || '__'))
      $$;

      create or replace function svc_unasked(p_session uuid, p_ids text[], p_refused boolean)
      returns text[] language sql stable as $$
        select coalesce(array_agg(r.id order by r.id), '{}') from unnest(p_ids) as r (id)
        left join llm_tool_uses u on u.session_id = p_session and u.tool_use_id = r.id
        where not case when u.tool like 'mcp\\_\\_%' then svc_is_brokered(p_session, u.tool) else false end
          and not (p_refused and coalesce(u.rejected, false))
          and not exists (select from approvals a where a.session_id = p_session and a.tool_call_id = r.id
                          and a.status not in ('intent', 'pending'))
      $$;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
