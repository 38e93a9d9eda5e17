-- Changes of providers, owners and members, and lists of members with what they hold.

-- Holds what changes of providers, owners, memberships and logins serialize on: all providers of the organization, and
-- its own row for one that has none yet.
create or replace function svc_lock_identity()
returns void
language plpgsql
as $$
declare
  organization uuid := nullif(current_setting('service.tenant_id', true), '')::uuid;
begin
  perform 1 from tenants where id = organization for no key update;
  perform 1 from org_idp_configs where tenant_id = organization order by id for update;
end
$$;

-- Whether an active owner is there besides that membership.
create or replace function svc_has_owner(p_besides uuid)
returns boolean
language sql stable
as $$
  select exists (select from org_memberships m
    join users u on u.tenant_id = m.tenant_id and u.id = m.user_id and u.status = 'active'
    where m.tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid
      and m.status = 'active' and 'owner' = any (m.roles) and m.id is distinct from p_besides)
$$;

-- Lets the next verified login with that address become owner, once and within the time.
create or replace function svc_arm_owner(p_config uuid, p_email text, p_arm uuid, p_secs int)
returns timestamptz
language sql
as $$
  update org_idp_configs
    set bootstrap_owner_email = p_email, bootstrap_arm_audit_id = p_arm, updated_at = clock_timestamp(),
      bootstrap_owner_expires_at = clock_timestamp() + make_interval(secs => p_secs)
    where id = p_config
    returning bootstrap_owner_expires_at
$$;

-- Ends what hangs on a provider that is active no more, and counts what was alive.
create or replace function svc_end_idp_logins(p_config uuid)
returns table (flows int, switches int, sessions int)
language plpgsql
as $$
begin
  with ended as (update login_flows f set consumed_at = clock_timestamp()
    where f.idp_config_id = p_config and f.consumed_at is null returning f.expires_at)
    select count(*) into flows from ended where expires_at > clock_timestamp();
  with ended as (update pending_login_switches s set consumed_at = clock_timestamp()
    where s.idp_config_id = p_config and s.consumed_at is null returning s.expires_at)
    select count(*) into switches from ended where expires_at > clock_timestamp();
  with ended as (update user_sessions s set revoked_at = clock_timestamp()
    where s.idp_config_id = p_config and s.revoked_at is null returning s.idle_expires_at)
    select count(*) into sessions from ended where idle_expires_at > clock_timestamp();
  return next;
end
$$;

-- Ends the sessions and personal tokens of users, and counts what was alive. A login of theirs that waits to replace
-- somebody else's session is over with them.
create or replace function svc_end_credentials(p_users uuid[])
returns table (sessions int, tokens int)
language plpgsql
as $$
begin
  with ended as (update user_sessions s set revoked_at = clock_timestamp()
    where s.user_id = any (p_users) and s.revoked_at is null returning s.idle_expires_at)
    select count(*) into sessions from ended where idle_expires_at > clock_timestamp();
  with ended as (update api_tokens t set revoked_at = clock_timestamp()
    where t.user_id = any (p_users) and t.kind = 'pat' and t.revoked_at is null returning t.expires_at)
    select count(*) into tokens from ended where expires_at > clock_timestamp();
  update pending_login_switches s set consumed_at = clock_timestamp()
    where s.new_user_id = any (p_users) and s.consumed_at is null;
  return next;
end
$$;

-- Deactivates every member that a provider vouched for, with what they hold.
create or replace function svc_deactivate_provisioned(p_config uuid)
returns int
language plpgsql
as $$
declare
  provisioned uuid[];
  deactivated int;
begin
  provisioned := array(select u.id from users u where u.idp_config_id = p_config);
  update org_memberships m
    set status = 'deactivated', deactivated_at = clock_timestamp(), updated_at = clock_timestamp()
    where m.user_id = any (provisioned) and m.status = 'active';
  get diagnostics deactivated = row_count;
  perform svc_end_credentials(provisioned);
  return deactivated;
end
$$;

-- Members in the order in which they came, with whom they are.
create or replace function svc_list_members(p_email text, p_after uuid, p_limit int)
returns table (
  membership_id uuid, user_id uuid, roles text[], membership_status text, email text, name text, user_status text,
  idp_config_id uuid, created_at timestamptz, last_login_at timestamptz)
language sql stable
as $$
  select m.id, m.user_id, m.roles, m.status, u.email, u.name, u.status, u.idp_config_id, m.created_at, u.last_login_at
    from org_memberships m
    join users u on u.tenant_id = m.tenant_id and u.id = m.user_id
    where m.tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid
      and (p_email is null or u.email_normalized = p_email)
      and (p_after is null or m.id > p_after)
    order by m.id limit p_limit
$$;

-- Live browser sessions, newest first, with whose they are. Those of a member are found by the user, as the index has
-- them; the time is that of the statement, which an index can be asked for.
create or replace function svc_list_web_sessions(p_membership uuid, p_before uuid, p_limit int)
returns table (
  id uuid, membership_id uuid, user_id uuid, email text, name text, idp_config_id uuid, source_ip text,
  user_agent text, created_at timestamptz, last_seen_at timestamptz, idle_expires_at timestamptz,
  absolute_expires_at timestamptz)
language sql stable
as $$
  select s.id, s.membership_id, s.user_id, u.email, u.name, s.idp_config_id, s.source_ip, s.user_agent, s.created_at,
      s.last_seen_at, s.idle_expires_at, s.absolute_expires_at
    from user_sessions s
    join users u on u.tenant_id = s.tenant_id and u.id = s.user_id
    where s.tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid and s.revoked_at is null
      and s.idle_expires_at > statement_timestamp() and s.absolute_expires_at > statement_timestamp()
      and (p_membership is null or (s.membership_id = p_membership
        and s.user_id = (select m.user_id from org_memberships m where m.id = p_membership)))
      and (p_before is null or s.id < p_before)
    order by s.id desc limit p_limit
$$;

-- Revokes live browser sessions of a member, or of everybody.
create or replace function svc_revoke_web_sessions(p_membership uuid)
returns int
language sql
as $$
  with ended as (update user_sessions s set revoked_at = clock_timestamp()
    where s.tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid and s.revoked_at is null
      and s.idle_expires_at > clock_timestamp()
      and (p_membership is null or (s.membership_id = p_membership
        and s.user_id = (select m.user_id from org_memberships m where m.id = p_membership)))
    returning s.id)
    select count(*)::int from ended
$$;

-- Personal tokens, newest first, revoked ones included, with whose they are.
create or replace function svc_list_personal_tokens(p_membership uuid, p_before uuid, p_limit int)
returns table (
  id uuid, tenant_id uuid, membership_id uuid, user_id uuid, email text, name text, display_prefix text,
  created_at timestamptz, expires_at timestamptz, last_used_at timestamptz, revoked_at timestamptz)
language sql stable
as $$
  select t.id, t.tenant_id, t.membership_id, t.user_id, u.email, t.name, t.display_prefix, t.created_at, t.expires_at,
      t.last_used_at, t.revoked_at
    from api_tokens t
    join users u on u.tenant_id = t.tenant_id and u.id = t.user_id
    where t.tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid and t.kind = 'pat'
      and (p_membership is null or (t.membership_id = p_membership
        and t.user_id = (select m.user_id from org_memberships m where m.id = p_membership)))
      and (p_before is null or t.id < p_before)
    order by t.id desc limit p_limit
$$;
