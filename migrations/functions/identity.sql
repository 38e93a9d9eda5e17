-- Who calls: sessions and tokens of people, throttles, and the audit log across organizations.

-- The roles of an active member of an active organization; null for anybody else.
create or replace function svc_read_member_roles(p_user uuid)
returns text[]
language sql stable
as $$
  select m.roles from users u
    join org_memberships m on m.tenant_id = u.tenant_id and m.user_id = u.id
    join tenants o on o.id = u.tenant_id
    where u.id = p_user and u.status = 'active' and m.status = 'active' and o.status = 'active'
$$;

-- The roles of the member behind a browser session or a personal token that still lives; null for anybody else. Being
-- asked is no use of either.
create or replace function svc_read_live_roles(p_session uuid, p_token uuid)
returns text[]
language sql
as $$
  select m.roles from org_memberships m
    join users u on u.tenant_id = m.tenant_id and u.id = m.user_id and u.status = 'active'
    join tenants o on o.id = m.tenant_id and o.status = 'active'
    where m.status = 'active' and m.id = coalesce(
      (select s.membership_id from user_sessions s
        where s.id = p_session and s.revoked_at is null
          and s.idle_expires_at > clock_timestamp() and s.absolute_expires_at > clock_timestamp()),
      (select t.membership_id from api_tokens t
        where t.id = p_token and t.kind = 'pat' and t.revoked_at is null and t.expires_at > clock_timestamp()))
$$;

-- A browser session with both of its ends by the clock of the database.
create or replace function svc_insert_web_session(
  p_id uuid, p_membership uuid, p_user uuid, p_sha256 text, p_config uuid, p_acr text, p_amr text[],
  p_auth_time timestamptz, p_idp_sid text, p_id_token bytea, p_id_token_key_version int, p_source_ip text,
  p_user_agent text, p_idle_secs int, p_absolute_secs int)
returns void
language sql
as $$
  insert into user_sessions (id, tenant_id, membership_id, user_id, session_token_sha256, idp_config_id, acr, amr,
      auth_time, idp_sid, id_token_sealed, id_token_key_version, source_ip, user_agent, created_at, last_seen_at,
      idle_expires_at, absolute_expires_at)
    select p_id, nullif(current_setting('service.tenant_id', true), '')::uuid, p_membership, p_user, p_sha256,
        p_config, p_acr, p_amr, p_auth_time, p_idp_sid, p_id_token, p_id_token_key_version, p_source_ip, p_user_agent,
        t, t, t + make_interval(secs => p_idle_secs), t + make_interval(secs => p_absolute_secs)
      from clock_timestamp() t
$$;

-- A personal access token with its end by the clock of the database.
create or replace function svc_insert_personal_token(
  p_id uuid, p_membership uuid, p_user uuid, p_name text, p_prefix text, p_sha256 text, p_ttl_secs int)
returns void
language sql
as $$
  insert into api_tokens (id, tenant_id, kind, membership_id, user_id, name, display_prefix, token_sha256, created_at,
      expires_at)
    select p_id, nullif(current_setting('service.tenant_id', true), '')::uuid, 'pat', p_membership, p_user, p_name,
        p_prefix, p_sha256, t, t + make_interval(secs => p_ttl_secs)
      from clock_timestamp() t
$$;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- The live sessions among those of some cookies, each with what its member may do now. Being used keeps a session from
-- idling out, written once a minute at most, or once in half an idle window of less than two minutes: is_due says when.
create or replace function svc_find_web_sessions(p_sha256 text[], p_idle_secs int)
returns table (
  sha256 text, session_id uuid, organization_id uuid, membership_id uuid, user_id uuid, roles text[], is_due boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select s.session_token_sha256, s.id, s.tenant_id, s.membership_id, s.user_id, m.roles,
      s.last_seen_at < clock_timestamp() - make_interval(secs => least(60, p_idle_secs / 2.0))
    from user_sessions s
    join org_memberships m on m.tenant_id = s.tenant_id and m.id = s.membership_id and m.status = 'active'
    join users u on u.tenant_id = s.tenant_id and u.id = s.user_id and u.status = 'active'
    join tenants o on o.id = s.tenant_id and o.status = 'active'
    where s.session_token_sha256 = any (p_sha256) and s.revoked_at is null
      and s.idle_expires_at > clock_timestamp() and s.absolute_expires_at > clock_timestamp()
$$;

-- A use of a session that was due for it, never past its absolute end. Of several at once one is written.
create or replace function svc_slide_web_session(p_id uuid, p_idle_secs int)
returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  update user_sessions s set last_seen_at = clock_timestamp(),
      idle_expires_at = least(clock_timestamp() + make_interval(secs => p_idle_secs), s.absolute_expires_at)
    where s.id = p_id and s.revoked_at is null
      and s.last_seen_at < clock_timestamp() - make_interval(secs => least(60, p_idle_secs / 2.0))
$$;

-- The live personal access tokens among some digests, each with what its member may do now, and whether a use of it is
-- to be written, once a minute.
create or replace function svc_find_personal_tokens(p_sha256 text[])
returns table (
  sha256 text, token_id uuid, organization_id uuid, membership_id uuid, user_id uuid, roles text[], is_due boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select t.token_sha256, t.id, t.tenant_id, t.membership_id, t.user_id, m.roles,
      t.last_used_at is null or t.last_used_at < clock_timestamp() - interval '1 minute'
    from api_tokens t
    join org_memberships m on m.tenant_id = t.tenant_id and m.id = t.membership_id and m.status = 'active'
    join users u on u.tenant_id = t.tenant_id and u.id = t.user_id and u.status = 'active'
    join tenants o on o.id = t.tenant_id and o.status = 'active'
    where t.token_sha256 = any (p_sha256) and t.kind = 'pat' and t.revoked_at is null
      and t.expires_at > clock_timestamp()
$$;

-- A use of a personal access token that was due for it. Of several at once one is written.
create or replace function svc_note_token_use(p_id uuid)
returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  update api_tokens t set last_used_at = clock_timestamp()
    where t.id = p_id and (t.last_used_at is null or t.last_used_at < clock_timestamp() - interval '1 minute')
$$;

-- Whose personal access token a digest is, as long as it can come to life: whoever gives it up may not be let in just
-- now, and the token must not wait for them.
create or replace function svc_find_token_holder(p_sha256 text)
returns table (token_id uuid, organization_id uuid, user_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select t.id, t.tenant_id, t.user_id from api_tokens t
    where t.token_sha256 = p_sha256 and t.kind = 'pat' and t.revoked_at is null and t.expires_at > clock_timestamp()
$$;

-- Counts one try of this minute. False when the limit is reached; a refused try is not counted further.
create or replace function svc_charge_login_throttle(p_key text, p_limit int)
returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  insert into login_throttles as t (key, minute, count) values (p_key, date_trunc('minute', clock_timestamp()), 1)
    on conflict (key, minute) do update set count = t.count + 1 where t.count < p_limit;
  return found;
end
$$;

-- An entry about no organization that exists.
create or replace function svc_append_deployment_audit(
  p_id uuid, p_actor_kind text, p_actor_id text, p_source_ip text, p_request_id text,
  p_action text, p_target text, p_success boolean, p_detail jsonb)
returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  insert into auth_audit_log (id, actor_kind, actor_id, source_ip, request_id, action, target, success, detail)
    values (p_id, p_actor_kind, p_actor_id, p_source_ip, p_request_id, p_action, p_target, p_success, p_detail)
$$;

-- Newest first, of one organization or of the whole deployment. Each filter has an index of its own, so that a plan is
-- made for the filters that are given.
create or replace function svc_list_auth_audit(
  p_organization uuid, p_before uuid, p_action text, p_success boolean, p_limit int)
returns setof auth_audit_log
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp
set plan_cache_mode = force_custom_plan
as $$
begin
  if p_organization is not null then
    return query select * from auth_audit_log
      where tenant_id = p_organization and (p_before is null or id < p_before)
        and (p_action is null or action = p_action) and (p_success is null or success = p_success)
      order by id desc limit p_limit;
  else
    return query select * from auth_audit_log
      where (p_before is null or id < p_before)
        and (p_action is null or action = p_action) and (p_success is null or success = p_success)
      order by id desc limit p_limit;
  end if;
end
$$;

-- Rows of logins that are over. Sessions stay a week beyond their end, for those who ask what happened.
create or replace function svc_sweep_logins(p_limit int)
returns int
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  swept int;
  total int := 0;
begin
  delete from login_throttles where ctid = any (array(
    select ctid from login_throttles where minute < clock_timestamp() - interval '5 minutes' limit p_limit));
  get diagnostics swept = row_count; total := total + swept;
  delete from device_logins where ctid = any (array(
    select ctid from device_logins where expires_at < clock_timestamp() - interval '7 days' limit p_limit));
  get diagnostics swept = row_count; total := total + swept;
  delete from login_flows where ctid = any (array(
    select ctid from login_flows where expires_at < clock_timestamp() - interval '7 days' limit p_limit));
  get diagnostics swept = row_count; total := total + swept;
  delete from pending_login_switches where ctid = any (array(
    select ctid from pending_login_switches where expires_at < clock_timestamp() - interval '7 days' limit p_limit));
  get diagnostics swept = row_count; total := total + swept;
  delete from user_sessions where ctid = any (array(
    select ctid from user_sessions where absolute_expires_at < clock_timestamp() - interval '7 days' limit p_limit));
  get diagnostics swept = row_count;
  return total + swept;
end
$$;

revoke all on function
  svc_find_web_sessions, svc_slide_web_session, svc_find_personal_tokens, svc_note_token_use, svc_find_token_holder,
  svc_charge_login_throttle,
  svc_append_deployment_audit, svc_list_auth_audit, svc_sweep_logins from public;
grant execute on function
  svc_find_web_sessions, svc_slide_web_session, svc_find_personal_tokens, svc_note_token_use, svc_find_token_holder,
  svc_charge_login_throttle,
  svc_append_deployment_audit, svc_list_auth_audit, svc_sweep_logins to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
