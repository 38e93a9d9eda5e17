import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ownBySystem } from './row-isolation.js';

/** Runs that reached a cap and that nobody has ended yet, because whoever saw the breach did not live to say so (chapter 10 §15). */
export class ListOverspentRuns1700000000059 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- Recorded spend only: what requests in flight reserve is what the caps afford them (06-gate §7). The calls themselves are
      -- never above their cap; a denied one that is over it is on the record.
      create function svc_list_overspent_runs(p_limit int)
      returns table (organization_id uuid, session_id uuid, budget text) language sql stable security definer
      set search_path = pg_catalog, public, pg_temp as $$
        select s.tenant_id, s.id, case
            when h.spent_cost_micros >= round((s.run_spec -> 'budgets' ->> 'max_cost_usd')::numeric * 1000000) then 'max_cost_usd'
            when h.spent_tokens >= (s.run_spec -> 'budgets' ->> 'max_tokens')::numeric then 'max_tokens'
            else 'max_tool_calls' end
        from sessions s join session_heads h on h.session_id = s.id
        where s.status in ('running', 'awaiting_approval')
          and (h.spent_cost_micros >= round((s.run_spec -> 'budgets' ->> 'max_cost_usd')::numeric * 1000000)
               or h.spent_tokens >= (s.run_spec -> 'budgets' ->> 'max_tokens')::numeric
               or h.tool_calls > (s.run_spec -> 'budgets' ->> 'max_tool_calls')::numeric)
          and not exists (select from session_finalizations f where f.session_id = s.id)
        limit p_limit
      $$;
      ${ownBySystem('svc_list_overspent_runs(int)')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
