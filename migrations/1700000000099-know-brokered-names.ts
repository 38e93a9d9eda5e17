import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The cross-check of 04-sandbox §1 exempts brokered calls, which the broker gates under ids of its own. Codex reserves the prefix
 * `mcp__` for servers of its own, so its model knows the tools of a slot as `<slot>__<tool>`; a slot shares its name with no other
 * server of the run.
 */
export class KnowBrokeredNames1700000000099 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create or replace function svc_is_brokered(p_session uuid, p_tool text) returns boolean language sql stable as $$
        select exists (
          select from sessions s, jsonb_array_elements(s.run_spec -> 'brokered') as b (surface),
                      lateral (select (b.surface ->> 'slot') || '__' as prefix) own
          where s.id = p_session and (starts_with(p_tool, own.prefix) or starts_with(p_tool, 'mcp__' || own.prefix)))
      $$;

      create or replace function svc_unasked(p_session uuid, p_ids text[], p_refused boolean)
      returns text[] language sql stable as $$
        select coalesce(array_agg(r.id order by r.id), '{}') from unnest(p_ids) as r (id)
        left join llm_tool_uses u on u.session_id = p_session and u.tool_use_id = r.id
        where not case when u.tool like '%\\_\\_%' then svc_is_brokered(p_session, u.tool) else false end
          and not (p_refused and coalesce(u.rejected, false))
          and not exists (select from approvals a where a.session_id = p_session and a.tool_call_id = r.id
                          and a.status not in ('intent', 'pending'))
      $$;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
