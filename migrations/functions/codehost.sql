-- Apps that were registered at the code host, their flows, and what their end takes along.

-- Forgets flows that ran out before they came back, and those that did, seven days after their time.
create or replace function svc_forget_app_flows()
returns void
language sql
as $$
  delete from github_app_flows where (consumed_at is null and expires_at <= clock_timestamp())
    or expires_at < clock_timestamp() - interval '7 days'
$$;

-- Revokes a registration with its secrets and every connection that lives by them. No row for one that is not there or
-- is revoked already. The registration is locked first, as by everybody who gives a connection authority under it.
create or replace function svc_revoke_app_registration(p_registration uuid)
returns table (connections uuid[])
language plpgsql
as $$
begin
  update github_app_registrations r
    set status = 'revoked', pem_sealed = null, webhook_secret_sealed = null, client_secret_sealed = null,
        updated_at = clock_timestamp()
    where r.id = p_registration and r.status <> 'revoked';
  if not found then return; end if;
  return query
    with ended as (
      update integration_connections c set status = 'revoked', updated_at = clock_timestamp()
      where c.registration_id = p_registration and c.status <> 'revoked' returning c.id
    )
    select coalesce(array_agg(e.id order by e.id), '{}') from ended e;
end
$$;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- A browser that comes back from the code host names a registration, never an organization.
create or replace function svc_find_app_registration(p_registration uuid)
returns uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select r.tenant_id from github_app_registrations r where r.id = p_registration
$$;

revoke all on function svc_find_app_registration from public;
grant execute on function svc_find_app_registration to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
