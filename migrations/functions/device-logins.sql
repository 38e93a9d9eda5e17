-- Logins of terminals (RFC 8628). A login belongs to no organization until somebody confirms it, so every step of it is
-- a function of sandgate_system; what it ends with, a token, is written by the organization's own transaction.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- False when another terminal waits under this user code; the caller takes another one.
create or replace function svc_start_device_login(
  p_id uuid, p_device_sha256 text, p_user_sha256 text, p_client_name text, p_source_ip text, p_ttl_secs int,
  p_interval_secs int)
returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  insert into device_logins (id, device_code_sha256, user_code_sha256, client_name, source_ip, interval_secs,
      expires_at)
    values (p_id, p_device_sha256, p_user_sha256, p_client_name, p_source_ip, p_interval_secs,
      clock_timestamp() + make_interval(secs => p_ttl_secs))
    on conflict do nothing;
  return found;
end
$$;

-- The terminal that waits under a user code, and for how long it has.
create or replace function svc_find_device_login(p_user_sha256 text)
returns table (id uuid, client_name text, source_ip text, age_secs int)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select d.id, d.client_name, d.source_ip, extract(epoch from clock_timestamp() - d.created_at)::int
    from device_logins d
    where d.user_code_sha256 = p_user_sha256 and d.status = 'pending' and d.expires_at > clock_timestamp()
$$;

-- What a member of the organization of this transaction answers, once. False when there is nothing to answer any more.
create or replace function svc_decide_device_login(
  p_id uuid, p_user uuid, p_membership uuid, p_session uuid, p_approve boolean)
returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  if p_approve then
    update device_logins d set status = 'approved', user_id = p_user, membership_id = p_membership,
        web_session_id = p_session, tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid
      where d.id = p_id and d.status = 'pending' and d.expires_at > clock_timestamp();
  else
    update device_logins d set status = 'denied'
      where d.id = p_id and d.status = 'pending' and d.expires_at > clock_timestamp();
  end if;
  return found;
end
$$;

-- One question of a terminal. Who asks before the interval is over waits longer from then on (RFC 8628 section 3.5).
create or replace function svc_poll_device_login(p_device_sha256 text)
returns table (
  id uuid, state text, organization_id uuid, user_id uuid, membership_id uuid, web_session_id uuid, client_name text)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  login device_logins;
begin
  select * into login from device_logins d where d.device_code_sha256 = p_device_sha256 for update;
  if not found then return; end if;
  id := login.id;
  state := login.status;
  if login.status in ('pending', 'approved') then
    if login.expires_at <= clock_timestamp() then
      state := 'expired';
    elsif login.last_polled_at + make_interval(secs => login.interval_secs) > clock_timestamp() then
      state := 'too_soon';
      update device_logins d set last_polled_at = clock_timestamp(), interval_secs = least(d.interval_secs + 5, 60)
        where d.id = login.id;
    else
      update device_logins d set last_polled_at = clock_timestamp() where d.id = login.id;
    end if;
  end if;
  if state = 'approved' then
    organization_id := login.tenant_id;
    user_id := login.user_id;
    membership_id := login.membership_id;
    web_session_id := login.web_session_id;
    client_name := login.client_name;
  end if;
  return next;
end
$$;

-- Ends an approved login of the organization of this transaction: with its token, or refused after all. Once only.
create or replace function svc_settle_device_login(p_id uuid, p_minted boolean)
returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  update device_logins d set status = case when p_minted then 'consumed' else 'denied' end,
      tenant_id = case when p_minted then d.tenant_id end,
      user_id = case when p_minted then d.user_id end,
      membership_id = case when p_minted then d.membership_id end
    where d.id = p_id and d.status = 'approved' and d.expires_at > clock_timestamp()
      and d.tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid;
  return found;
end
$$;

revoke all on function
  svc_start_device_login, svc_find_device_login, svc_decide_device_login, svc_poll_device_login,
  svc_settle_device_login from public;
grant execute on function
  svc_start_device_login, svc_find_device_login, svc_decide_device_login, svc_poll_device_login,
  svc_settle_device_login to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
