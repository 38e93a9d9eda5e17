-- Registrations that all organizations share, connect flows, and access tokens that processes share.

-- What this deployment is registered as at a server, for one redirect address.
create or replace function svc_find_oauth_registration(p_issuer text, p_redirect_uri text)
returns table (id uuid, source text, client_id text, token_endpoint_auth_method text, expired boolean)
language sql stable
as $$
  select r.id, r.source, r.client_id, r.token_endpoint_auth_method,
         coalesce(r.client_secret_expires_at <= clock_timestamp(), false)
    from oauth_client_registrations r
    where r.issuer = p_issuer and r.redirect_uri = p_redirect_uri and r.tenant_id is null
$$;

create or replace function svc_read_oauth_secret(p_registration uuid)
returns table (sealed bytea, key_version smallint, method text)
language sql stable
as $$
  select r.client_secret_sealed, r.client_secret_key_version, r.token_endpoint_auth_method
    from oauth_client_registrations r where r.id = p_registration and r.tenant_id is null
$$;

-- Forgets flows that ran out, and those that were used some days ago.
create or replace function svc_forget_oauth_flows()
returns void
language sql
as $$
  delete from connector_oauth_flows where (consumed_at is null and expires_at <= clock_timestamp())
    or expires_at < clock_timestamp() - interval '7 days'
$$;

-- Whether the connection of a flow was authorized since it started; of two in the same microsecond the first one to be
-- stored wins.
create or replace function svc_is_flow_superseded(p_flow connector_oauth_flows)
returns boolean
language sql stable
as $$
  select exists (select 1 from integration_connections c where c.id = p_flow.connection_id
    and (c.authorization_generation <> p_flow.expected_generation
         or (c.oauth ->> 'activated_at')::timestamptz >= p_flow.created_at))
$$;

create or replace function svc_read_claimed_flow(p_flow uuid)
returns table (flow connector_oauth_flows, superseded boolean)
language sql stable
as $$
  select f, svc_is_flow_superseded(f) from connector_oauth_flows f where f.id = p_flow
$$;

-- Names of those whom a connect flow concerns: the organization, and the user who asked, if any did.
create or replace function svc_name_flow_parties(p_user uuid)
returns table (organization text, requester text)
language sql stable
as $$
  select o.name, (select coalesce(u.name, u.email, u.id::text) from users u where u.id = p_user)
    from tenants o
$$;

-- Shows on a connection that was never authorized as whom the flow asks.
create or replace function svc_show_oauth_identity(p_connection uuid, p_oauth jsonb)
returns void
language sql
as $$
  update integration_connections set oauth = (oauth - 'registration_id') || p_oauth, updated_at = clock_timestamp()
    where id = p_connection and status <> 'revoked' and credential_sealed is null
$$;

-- Activates the connection of a flow with its new grant. The generation that it has then; null when it moved on
-- meanwhile, or was authorized since the flow started.
create or replace function svc_activate_connection(
  p_flow uuid, p_connection uuid, p_generation int, p_sealed bytea, p_key_version int, p_scopes text[], p_oauth jsonb
)
returns int
language sql
as $$
  update integration_connections c
    set status = 'active',
        authorization_generation = c.authorization_generation + case when c.status = 'pending' then 0 else 1 end,
        credential_sealed = p_sealed, credential_key_version = p_key_version, granted_scopes = p_scopes,
        oauth = (c.oauth - 'error' - 'registration_id') || p_oauth
          || jsonb_build_object('activated_at', clock_timestamp()),
        updated_at = clock_timestamp()
    from connector_oauth_flows f
    where c.id = p_connection and f.id = p_flow and f.connection_id = c.id and c.auth_kind = 'oauth'
      and c.status <> 'revoked' and c.authorization_generation = p_generation
      and coalesce((c.oauth ->> 'activated_at')::timestamptz, '-infinity') < f.created_at
    returning c.authorization_generation
$$;

-- The newest access token of a connection, and how long it still lives.
create or replace function svc_read_access_token(p_connection uuid, p_generation int)
returns table (token_sealed bytea, token_key_version smallint, left_ms float8)
language sql stable
as $$
  select t.token_sealed, t.token_key_version, (extract(epoch from t.expires_at - clock_timestamp()) * 1000)::float8
    from connector_access_tokens t
    where t.connection_id = p_connection and t.authorization_generation = p_generation
$$;

create or replace function svc_keep_access_token(
  p_tenant uuid, p_connection uuid, p_generation int, p_sealed bytea, p_key_version int, p_secs float8
)
returns void
language sql
as $$
  insert into connector_access_tokens
    (connection_id, tenant_id, authorization_generation, token_sealed, token_key_version, expires_at)
  values (p_connection, p_tenant, p_generation, p_sealed, p_key_version,
          clock_timestamp() + make_interval(secs => p_secs))
  on conflict (connection_id) do update set authorization_generation = excluded.authorization_generation,
    token_sealed = excluded.token_sealed, token_key_version = excluded.token_key_version,
    expires_at = excluded.expires_at
$$;

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
