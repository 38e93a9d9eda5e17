import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is asked before each brokered call, in one round trip each: the call with the live authority behind it, and the credential of
 * a connection (chapter 40 §7.4, §4 step 8). Nothing of it may be remembered from one call to the next.
 */
export class CreateDispatchReads1700000000103 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create function svc_is_active_member(p_user uuid) returns boolean language sql stable as $$
        select exists (select 1 from users u join org_memberships m on m.tenant_id = u.tenant_id and m.user_id = u.id
                       where u.id = p_user and u.status = 'active' and m.status = 'active')
      $$;

      create type svc_live as (status text, authorization_generation int, owner_type text, owner_user_id uuid,
        invoker_active boolean, owner_active boolean);

      -- What is true now of the authority that a binding was frozen with; no row for a binding of another organization.
      create function svc_live_authority(p_binding uuid) returns setof svc_live language sql stable as $$
        select c.status, c.authorization_generation, c.owner_type, c.owner_user_id,
               b.resolved_by_principal_id is not null and svc_is_active_member(b.resolved_by_principal_id),
               c.owner_user_id is not null and svc_is_active_member(c.owner_user_id)
          from session_resource_bindings b left join integration_connections c on c.id = b.connection_id
          where b.id = p_binding
      $$;

      drop function svc_read_call(uuid, uuid, uuid);
      drop type svc_brokered_call;
      create type svc_brokered_call as (tool_call_id text, tool text, input_digest text, sealed bytea, key_version smallint,
        binding_id uuid, live jsonb);

      -- A call that the gate has let go, its input, and the live authority of its slot; no row where it has not, or where the
      -- input is gone because the call is settled.
      create function svc_read_call(p_tenant uuid, p_session uuid, p_call_id uuid) returns setof svc_brokered_call
      language plpgsql as $$
      begin
        perform set_config('svc.tenant', p_tenant::text, true);
        return query select a.tool_call_id, a.tool, a.input_digest, p.sealed, p.key_version, b.id,
            (select to_jsonb(l) from svc_live_authority(b.id) l)
          from approvals a
          join tool_call_payloads p on p.session_id = a.session_id and p.tool_call_id = a.tool_call_id and p.kind = 'input'
          left join session_resource_bindings b on b.session_id = a.session_id and b.slot_kind = 'mcp'
            and b.requirement_slot = split_part(substr(a.tool, 6), '__', 1)
          where a.id = p_call_id and a.session_id = p_session and svc_is_let_go(a);
      end $$;

      create type svc_credential as (status text, authorization_generation int, auth_kind text, display_name text, metadata jsonb,
        sealed bytea, key_version smallint);

      -- A connection and, while it is active at that generation, its sealed credential.
      create function svc_read_credential(p_tenant uuid, p_connection uuid, p_generation int) returns setof svc_credential
      language plpgsql as $$
      begin
        perform set_config('svc.tenant', p_tenant::text, true);
        return query select c.status, c.authorization_generation, c.auth_kind, c.display_name, c.metadata,
            case when c.status = 'active' and c.authorization_generation = p_generation then c.credential_sealed end,
            c.credential_key_version
          from integration_connections c where c.id = p_connection;
      end $$;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
