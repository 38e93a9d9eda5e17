-- Registrations that all organizations share, and the claim of a connect flow.

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- Keeps a new registration; of two that were made at once the first stays, and its id is answered.
create or replace function svc_keep_oauth_registration(
  p_id uuid, p_issuer text, p_redirect_uri text, p_source text, p_client_id text, p_secret bytea,
  p_secret_version int, p_secret_expires_at timestamptz, p_endpoint text, p_access bytea, p_access_version int,
  p_auth_method text
)
returns uuid
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  kept uuid;
begin
  insert into oauth_client_registrations (id, issuer, redirect_uri, source, client_id, client_secret_sealed,
    client_secret_key_version, client_secret_expires_at, registration_endpoint, registration_access_token_sealed,
    registration_access_token_key_version, token_endpoint_auth_method)
  values (p_id, p_issuer, p_redirect_uri, p_source, p_client_id, p_secret, p_secret_version, p_secret_expires_at,
          p_endpoint, p_access, p_access_version, p_auth_method)
  on conflict (issuer, redirect_uri) do nothing;
  select r.id into kept from oauth_client_registrations r where r.issuer = p_issuer and r.redirect_uri = p_redirect_uri;
  return kept;
end
$$;

create or replace function svc_touch_oauth_registration(p_id uuid)
returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  update oauth_client_registrations set last_used_at = clock_timestamp() where id = p_id and tenant_id is null
$$;

-- Forgets one that its server no longer knows; the client id guards a row that was registered anew meanwhile.
create or replace function svc_drop_oauth_registration(p_id uuid, p_client_id text)
returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  delete from oauth_client_registrations where id = p_id and client_id = p_client_id and tenant_id is null
$$;

-- The callback knows no organization. One UPDATE claims the flow for the browser whose cookie opened it; of a flow
-- that is not claimed it says only whether it is still open.
create or replace function svc_claim_oauth_flow(p_state_hash text, p_browser_hash text)
returns table (outcome text, organization_id uuid, flow_id uuid)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  return query
    update connector_oauth_flows f set consumed_at = clock_timestamp()
    where f.state_hash = p_state_hash and f.browser_hash = p_browser_hash
      and f.opened_at is not null and f.consumed_at is null and f.expires_at > clock_timestamp()
    returning 'claimed'::text, f.tenant_id, f.id;
  if found then return; end if;
  return query
    select case when exists (select 1 from connector_oauth_flows f where f.state_hash = p_state_hash
                             and f.consumed_at is null and f.expires_at > clock_timestamp())
           then 'other_browser' else 'gone' end, null::uuid, null::uuid;
end
$$;

revoke all on function
  svc_keep_oauth_registration, svc_touch_oauth_registration, svc_drop_oauth_registration, svc_claim_oauth_flow
  from public;
grant execute on function
  svc_keep_oauth_registration, svc_touch_oauth_registration, svc_drop_oauth_registration, svc_claim_oauth_flow
  to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
