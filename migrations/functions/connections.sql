-- Authorization checks, and credentials of connections. Nothing of it may be cached from one call to the next.

create or replace function svc_is_active_member(p_user uuid)
returns boolean
language sql stable
as $$
  select exists (select 1 from users u join org_memberships m on m.tenant_id = u.tenant_id and m.user_id = u.id
                 where u.id = p_user and u.status = 'active' and m.status = 'active')
$$;

-- The current state of the authority that a binding was frozen with; no row for a binding of another organization.
create or replace function svc_live_authority(p_binding uuid)
returns setof svc_live
language sql stable
as $$
  select c.status, c.authorization_generation, c.owner_type, c.owner_user_id,
         b.resolved_by_principal_id is not null and svc_is_active_member(b.resolved_by_principal_id),
         c.owner_user_id is not null and svc_is_active_member(c.owner_user_id)
    from session_resource_bindings b left join integration_connections c on c.id = b.connection_id
    where b.id = p_binding
$$;

-- Whether a run accepts work at this moment, and the current authority of one of its bindings; no row for a run of
-- another organization.
create or replace function svc_read_standing(p_tenant uuid, p_session uuid, p_binding uuid)
returns setof svc_standing
language plpgsql
as $$
begin
  perform set_config('svc.tenant', p_tenant::text, true);
  return query
    select svc_accepts_work(s.status) and not h.ending, (select to_jsonb(l) from svc_live_authority(p_binding) l)
    from sessions s join session_heads h on h.session_id = s.id
    where s.id = p_session;
end
$$;

-- A connection and, while it is active at that generation, its sealed credential.
create or replace function svc_read_credential(p_tenant uuid, p_connection uuid, p_generation int)
returns setof svc_credential
language plpgsql
as $$
begin
  perform set_config('svc.tenant', p_tenant::text, true);
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
returns setof svc_call_credential
language plpgsql
as $$
begin
  return query select c.*, s.accepts, s.live
    from svc_read_credential(p_tenant, p_connection, p_generation) c
    left join svc_read_standing(p_tenant, p_session, p_binding) s on true;
end
$$;
