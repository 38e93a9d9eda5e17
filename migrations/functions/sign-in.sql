-- Signing in: logins under way, the first owner, and switches from one session to another.

-- Begins a login, unless too many of the organization are open: the count and the new row are one step, for all
-- processes. What earlier logins left goes first: those that ran out, and any that ended a week ago.
create or replace function svc_open_login_flow(
  p_id uuid, p_config uuid, p_verifier bytea, p_key_version int, p_nonce text, p_browser_hash text, p_redirect_to text,
  p_secs int, p_cap int)
returns boolean
language plpgsql
as $$
declare
  organization uuid := nullif(current_setting('service.tenant_id', true), '')::uuid;
begin
  perform pg_advisory_xact_lock(hashtextextended('login-flows:' || organization, 0));
  delete from login_flows where (consumed_at is null and expires_at <= clock_timestamp())
    or expires_at < clock_timestamp() - interval '7 days';
  if (select count(*) from login_flows where consumed_at is null) >= p_cap then return false; end if;
  insert into login_flows (id, tenant_id, idp_config_id, pkce_verifier_sealed, pkce_verifier_key_version, nonce,
      browser_hash, redirect_to, expires_at)
    values (p_id, organization, p_config, p_verifier, p_key_version, p_nonce, p_browser_hash, p_redirect_to,
      clock_timestamp() + make_interval(secs => p_secs));
  return true;
end
$$;

-- Consumes a login for the browser that began it, while its provider is active: one statement, so that one of two
-- callbacks gets it. Anything else changes nothing.
create or replace function svc_claim_login_flow(p_flow uuid, p_config uuid, p_browser_hash text)
returns table (
  pkce_verifier_sealed bytea, pkce_verifier_key_version smallint, nonce text, redirect_to text, created_secs float8)
language sql
as $$
  update login_flows f set consumed_at = clock_timestamp()
    where f.id = p_flow and f.idp_config_id = p_config and f.browser_hash = p_browser_hash
      and f.consumed_at is null and f.expires_at > clock_timestamp()
      and exists (select from org_idp_configs c where c.id = p_config and c.status = 'active')
    returning f.pkce_verifier_sealed, f.pkce_verifier_key_version, f.nonce, f.redirect_to,
      extract(epoch from f.created_at)::float8
$$;

-- What a provider published, as it was read just now.
create or replace function svc_keep_provider(p_config uuid, p_metadata jsonb, p_jwks jsonb)
returns void
language sql
as $$
  update org_idp_configs set discovered_metadata = p_metadata, jwks = p_jwks, discovered_at = clock_timestamp()
    where id = p_config
$$;

-- How old what is kept of a provider is, in seconds; null when nothing is.
create or replace function svc_provider_age(p_config uuid)
returns float8
language sql stable
as $$
  select extract(epoch from clock_timestamp() - discovered_at)::float8 from org_idp_configs
    where id = p_config and discovered_metadata is not null and jwks is not null
$$;

-- A verified login with the armed address consumes the arm, whatever comes of it. It makes an owner in time, and only
-- where no active one is. The caller holds the lock of the row.
create or replace function svc_consume_owner_arm(p_config uuid, p_email text)
returns table (arm_id uuid, promoted boolean)
language plpgsql
as $$
declare
  ends timestamptz;
begin
  select c.bootstrap_arm_audit_id, c.bootstrap_owner_expires_at into arm_id, ends
    from org_idp_configs c where c.id = p_config and lower(btrim(c.bootstrap_owner_email)) = p_email;
  if not found then return; end if;
  update org_idp_configs set bootstrap_owner_email = null, bootstrap_owner_expires_at = null,
      bootstrap_arm_audit_id = null, updated_at = clock_timestamp()
    where id = p_config;
  promoted := ends > clock_timestamp() and not svc_has_owner(null);
  return next;
end
$$;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- Where a pending switch belongs, for the browser that holds its cookie.
create or replace function svc_find_login_switch(p_switch uuid, p_browser_hash text)
returns table (organization_id uuid, idp_config_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select s.tenant_id, s.idp_config_id from pending_login_switches s
    where s.id = p_switch and s.browser_hash = p_browser_hash
$$;

-- Ends the session that a confirmed switch replaces, in whichever organization it is. False when it is not fully live.
create or replace function svc_replace_web_session(p_session uuid)
returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  update user_sessions s set revoked_at = clock_timestamp()
    where s.id = p_session and s.revoked_at is null
      and s.idle_expires_at > clock_timestamp() and s.absolute_expires_at > clock_timestamp()
      and exists (select from org_memberships m
        where m.tenant_id = s.tenant_id and m.id = s.membership_id and m.status = 'active')
      and exists (select from users u where u.tenant_id = s.tenant_id and u.id = s.user_id and u.status = 'active')
      and exists (select from tenants o where o.id = s.tenant_id and o.status = 'active');
  return found;
end
$$;

revoke all on function svc_find_login_switch, svc_replace_web_session from public;
grant execute on function svc_find_login_switch, svc_replace_web_session to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
