-- Authorization checks, and credentials of connections. Nothing of it may be cached from one call to the next.

create or replace function svc_is_active_member(p_user uuid)
returns boolean
language sql stable
as $$
  select exists (select 1 from users u join org_memberships m on m.tenant_id = u.tenant_id and m.user_id = u.id
                 where u.id = p_user and u.status = 'active' and m.status = 'active')
$$;

-- Whether what started a run still stands behind it: an active member, a live token of an enabled subscription, or an
-- enabled subscription itself.
create or replace function svc_is_invoker_active(p_kind text, p_id uuid)
returns boolean
language sql stable
as $$
  select case
    when p_kind in ('operator', 'system') then true
    when p_id is null then false
    when p_kind = 'user' then svc_is_active_member(p_id)
    when p_kind = 'trigger' then exists (
      select from api_tokens t join trigger_subscriptions s on s.id = t.subscription_id
      where t.id = p_id and t.revoked_at is null and (t.expires_at is null or t.expires_at > clock_timestamp())
        and s.enabled)
    when p_kind in ('schedule', 'webhook') then exists (
      select from trigger_subscriptions s where s.id = p_id and s.enabled)
    else false
  end
$$;

-- The current state of the authority that a binding was frozen with; no row for a binding of another organization.
create or replace function svc_current_authority(p_binding uuid)
returns table (
  status text, authorization_generation int, owner_type text, owner_user_id uuid, invoker_active boolean,
  owner_active boolean, subscription_generation int
)
language sql stable
as $$
  select c.status, c.authorization_generation, c.owner_type, c.owner_user_id,
         svc_is_invoker_active(b.resolved_by_principal_kind, b.resolved_by_principal_id),
         c.owner_user_id is not null and svc_is_active_member(c.owner_user_id),
         (select t.authority_generation from trigger_subscriptions t where t.id = b.subscription_id)
    from run_resource_bindings b left join integration_connections c on c.id = b.connection_id
    where b.id = p_binding
$$;

-- Whether a run accepts work at this moment, and the current authority of one of its bindings; no row for a run of
-- another organization.
create or replace function svc_check_authorization(p_tenant uuid, p_session uuid, p_binding uuid)
returns table (accepts boolean, current jsonb)
language plpgsql
as $$
begin
  perform set_config('service.tenant_id', p_tenant::text, true);
  return query
    select svc_accepts_work(s.status) and not h.ending, (select to_jsonb(l) from svc_current_authority(p_binding) l)
    from sessions s join session_heads h on h.session_id = s.id
    where s.id = p_session;
end
$$;

-- A connection and, while it is active at that generation, its sealed credential.
create or replace function svc_read_credential(p_tenant uuid, p_connection uuid, p_generation int)
returns table (
  status text, authorization_generation int, auth_kind text, display_name text, metadata jsonb, sealed bytea,
  key_version smallint
)
language plpgsql
as $$
begin
  perform set_config('service.tenant_id', p_tenant::text, true);
  return query select c.status, c.authorization_generation, c.auth_kind, c.display_name, c.metadata,
      case when c.status = 'active' and c.authorization_generation = p_generation then c.credential_sealed end,
      c.credential_key_version
    from integration_connections c where c.id = p_connection;
end
$$;

-- As svc_read_credential, for one call of a run: with the authorization check of that run and its binding.
create or replace function svc_read_call_credential(
  p_tenant uuid, p_connection uuid, p_generation int, p_session uuid, p_binding uuid
)
returns table (
  status text, authorization_generation int, auth_kind text, display_name text, metadata jsonb, sealed bytea,
  key_version smallint, accepts boolean, current jsonb
)
language plpgsql
as $$
begin
  return query select c.status, c.authorization_generation, c.auth_kind, c.display_name, c.metadata, c.sealed,
      c.key_version, s.accepts, s.current
    from svc_read_credential(p_tenant, p_connection, p_generation) c
    left join svc_check_authorization(p_tenant, p_session, p_binding) s on true;
end
$$;

-- Puts an active OAuth connection aside with a note for a person; another generation was authorized meanwhile.
create or replace function svc_mark_reconnect_needed(p_connection uuid, p_generation int, p_note text)
returns boolean
language plpgsql
as $$
begin
  update integration_connections
    set status = 'error', oauth = oauth || jsonb_build_object('error', p_note), updated_at = clock_timestamp()
    where id = p_connection and authorization_generation = p_generation and status = 'active'
      and auth_kind = 'oauth';
  return found;
end
$$;

-- The next snapshot of an active connection; nothing when it moved on meanwhile.
create or replace function svc_append_tool_snapshot(
  p_id uuid, p_connection uuid, p_generation int, p_protocol_version text, p_tools json, p_digest text
)
returns setof connection_tool_snapshots
language sql
as $$
  insert into connection_tool_snapshots (id, tenant_id, connection_id, snapshot_version, authorization_generation,
    protocol_version, tools_json, tools_digest, discovered_at)
  select p_id, c.tenant_id, c.id,
         (select coalesce(max(s.snapshot_version), 0) + 1 from connection_tool_snapshots s
          where s.connection_id = c.id),
         c.authorization_generation, p_protocol_version, p_tools, p_digest, clock_timestamp()
    from integration_connections c
    where c.id = p_connection and c.status = 'active' and c.authorization_generation = p_generation
    for share of c
  returning *
$$;

-- Whether webhooks of the code host can be verified for a connection: by its own secret, or by that of its app.
create or replace function svc_can_receive_events(p_connection uuid)
returns boolean
language sql stable
as $$
  select exists (
    select 1 from integration_connections c
      left join github_app_registrations r on r.id = c.registration_id and r.status = 'active'
      where c.id = p_connection and c.provider in ('codehost', 'codehost_app') and c.owner_type = 'organization'
        and (c.webhook_secret_sealed is not null or r.webhook_secret_sealed is not null))
$$;
