-- Who calls: tokens, clients, and the organizations that they belong to. Nobody is known yet when these run, so they
-- look across organizations as docsvc_system; an owner needs CREATE on the schema while it is given functions, and at
-- no other time.
grant create on schema public to docsvc_system;
set local role docsvc_system;

-- Who sent a token, and whether one more request of theirs fits into the rates of its kinds, the widest first.
-- `verdict` is `ok`, `unknown`, `expired` or `limited`; the numbers are those of the last bucket that was asked.
create or replace function docsvc_admit_request(p_token_hash bytea, p_kinds text[], p_per_minute int[])
returns table (
  verdict text, org_id uuid, client_row_id uuid, client_name text, scopes text[], workspace_ids uuid[],
  project_ids uuid[], signing_salt bytea, rate_limit int, rate_remaining int, reset_seconds int, retry_seconds int
)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
#variable_conflict use_column
declare
  found_expiry timestamptz;
  capacity int;
  per_second double precision;
  remaining double precision;
begin
  select t.org_id, c.id, c.name, array(select s from unnest(t.scopes) as s where s = any (c.scopes)), c.workspace_ids,
      c.project_ids, o.signing_salt, least(t.expires_at, coalesce(c.expires_at, 'infinity'))
    into org_id, client_row_id, client_name, scopes, workspace_ids, project_ids, signing_salt, found_expiry
    from oauth_tokens t
    join oauth_clients c on c.org_id = t.org_id and c.id = t.client_row_id
    join orgs o on o.id = t.org_id
    where t.token_hash = p_token_hash and t.revoked_at is null and c.revoked_at is null;
  if not found then
    verdict := 'unknown';
    return next;
    return;
  end if;
  if found_expiry <= clock_timestamp() then
    verdict := 'expired';
    return next;
    return;
  end if;
  -- A bucket that a crash sets back by a moment does no harm, and a request does not wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  verdict := 'ok';
  for i in 1 .. cardinality(p_kinds) loop
    capacity := p_per_minute[i];
    per_second := capacity / 60.0;
    insert into rate_buckets as b (org_id, client_row_id, kind, tokens, refilled_at)
      values (org_id, client_row_id, p_kinds[i], capacity - 1, clock_timestamp())
      on conflict (org_id, client_row_id, kind) do update
        set tokens = least(capacity, b.tokens + extract(epoch from clock_timestamp() - b.refilled_at) * per_second) - 1,
            refilled_at = clock_timestamp()
        where b.tokens + extract(epoch from clock_timestamp() - b.refilled_at) * per_second >= 1
      returning b.tokens into remaining;
    rate_limit := capacity;
    if not found then
      select b.tokens + extract(epoch from clock_timestamp() - b.refilled_at) * per_second into remaining
        from rate_buckets b
        where b.org_id = docsvc_admit_request.org_id and b.client_row_id = docsvc_admit_request.client_row_id
          and b.kind = p_kinds[i];
      verdict := 'limited';
      retry_seconds := greatest(1, ceil((1 - remaining) / per_second));
    end if;
    rate_remaining := greatest(0, floor(remaining));
    reset_seconds := ceil((capacity - remaining) / per_second);
    exit when verdict = 'limited';
  end loop;
  return next;
end
$$;

-- Takes from a rate of a client within the caller's transaction, so that what is refused or rolled back takes nothing.
-- @returns seconds to wait; null where there was room
create or replace function docsvc_take_rate(p_client uuid, p_kind text, p_per_minute int)
returns int
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  org constant uuid := current_setting('docsvc.org_id')::uuid;
  per_second constant double precision := p_per_minute / 60.0;
  remaining double precision;
begin
  insert into rate_buckets as b (org_id, client_row_id, kind, tokens, refilled_at)
    values (org, p_client, p_kind, p_per_minute - 1, clock_timestamp())
    on conflict (org_id, client_row_id, kind) do update
      set tokens = least(p_per_minute,
            b.tokens + extract(epoch from clock_timestamp() - b.refilled_at) * per_second) - 1,
          refilled_at = clock_timestamp()
      where b.tokens + extract(epoch from clock_timestamp() - b.refilled_at) * per_second >= 1;
  if found then return null; end if;
  select b.tokens + extract(epoch from clock_timestamp() - b.refilled_at) * per_second into remaining
    from rate_buckets b where b.org_id = org and b.client_row_id = p_client and b.kind = p_kind;
  return greatest(1, ceil((1 - remaining) / per_second));
end
$$;

-- What a token request is checked against; nothing for a client that is unknown, revoked or expired.
create or replace function docsvc_find_client(p_client_id text)
returns table (id uuid, org_id uuid, name text, secret_hashes bytea[], scopes text[])
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select c.id, c.org_id, c.name, c.secret_hashes, c.scopes from oauth_clients c
    where c.client_id = p_client_id and c.revoked_at is null
      and (c.expires_at is null or c.expires_at > clock_timestamp())
$$;

-- Seconds until the next secret may be shown, after so many wrong ones; null where there is nothing to wait for.
create or replace function docsvc_secret_wait(p_key bytea, p_limit int)
returns int
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select greatest(1, ceil(extract(epoch from t.ends_at - clock_timestamp())))::int from secret_throttles t
    where t.key = p_key and t.count >= p_limit and t.ends_at > clock_timestamp()
$$;

-- Counts a wrong secret. The first one begins a while of p_seconds.
create or replace function docsvc_note_wrong_secret(p_key bytea, p_seconds int)
returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into secret_throttles as t (key, count, ends_at)
    values (p_key, 1, clock_timestamp() + make_interval(secs => p_seconds))
    on conflict (key) do update
      set count = case when t.ends_at > clock_timestamp() then t.count + 1 else 1 end,
          ends_at = case when t.ends_at > clock_timestamp() then t.ends_at else excluded.ends_at end;
end
$$;

-- A token never outlives its client. Answers the seconds that it lives, with its entry in the audit.
create or replace function docsvc_issue_token(
  p_client uuid, p_hash bytea, p_scopes text[], p_seconds int, p_audit_id uuid, p_request_id text)
returns int
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  client oauth_clients;
  lives int;
begin
  select * into client from oauth_clients c where c.id = p_client;
  lives := least(p_seconds, coalesce(floor(extract(epoch from client.expires_at - clock_timestamp())), p_seconds));
  insert into oauth_tokens (token_hash, org_id, client_row_id, scopes, expires_at)
    values (p_hash, client.org_id, client.id, p_scopes, clock_timestamp() + make_interval(secs => lives));
  insert into audit_events (id, org_id, actor_kind, actor_id, actor_name, action, subject_kind, subject_id,
    request_id, detail)
    values (p_audit_id, client.org_id, 'client', client.id, client.name, 'token.issued', 'client', client.id,
      p_request_id,
        jsonb_build_object('scopes', p_scopes));
  return lives;
end
$$;

-- An organization with its first client. With `p_only_first` nothing is made where there is an organization already,
-- also when several processes start at once. Answers whether it was made.
create or replace function docsvc_make_organization(
  p_only_first boolean, p_org uuid, p_name text, p_salt bytea, p_client uuid, p_client_id text, p_client_name text,
  p_secret_hash bytea, p_scopes text[])
returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(hashtext('docsvc organizations'));
  if p_only_first and exists (select from orgs) then
    return false;
  end if;
  insert into orgs (id, name, signing_salt) values (p_org, p_name, p_salt);
  insert into oauth_clients (id, org_id, client_id, name, secret_hashes, scopes)
    values (p_client, p_org, p_client_id, p_client_name, array[p_secret_hash], p_scopes);
  return true;
end
$$;

-- Tokens that nobody can use any more are kept for a day, so that they are told from unknown ones.
create or replace function docsvc_delete_spent_tokens()
returns int
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  deleted int;
begin
  delete from oauth_tokens t where t.expires_at < clock_timestamp() - interval '1 day';
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

create or replace function docsvc_delete_spent_throttles()
returns int
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  deleted int;
begin
  delete from secret_throttles t where t.ends_at < clock_timestamp();
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

revoke all on function docsvc_secret_wait, docsvc_note_wrong_secret, docsvc_delete_spent_throttles from public;
grant execute on function docsvc_secret_wait, docsvc_note_wrong_secret, docsvc_delete_spent_throttles to docsvc_app;
revoke all on function docsvc_admit_request, docsvc_take_rate from public;
grant execute on function docsvc_admit_request, docsvc_take_rate to docsvc_app;
revoke all on function docsvc_find_client from public;
grant execute on function docsvc_find_client to docsvc_app;
revoke all on function docsvc_issue_token from public;
grant execute on function docsvc_issue_token to docsvc_app;
revoke all on function docsvc_make_organization from public;
grant execute on function docsvc_make_organization to docsvc_app;
revoke all on function docsvc_delete_spent_tokens from public;
grant execute on function docsvc_delete_spent_tokens to docsvc_app;
reset role;
revoke create on schema public from docsvc_system;
