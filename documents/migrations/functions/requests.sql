-- Answers that are repeated for a request with the same key.

-- Takes the key for a request, or says how it stands. `state` is `mine`: carry it out; `answered`: here is the
-- answer; `other`: the key belongs to another request; `busy`: the first request is under way; `lost`: it was carried
-- out and its answer was not kept. A request that has not committed anything when its time is over gives the key up
-- to the next one, and can commit no more.
create or replace function docsvc_claim_idempotency_key(
  p_client uuid, p_key text, p_digest bytea, p_claim uuid, p_claim_seconds int)
returns table (state text, status int, sealed_answer bytea, headers jsonb)
language plpgsql
as $$
#variable_conflict use_column
declare
  org constant uuid := current_setting('docsvc.org_id')::uuid;
  known idempotency_keys;
begin
  insert into idempotency_keys as k (org_id, client_row_id, key, request_digest, claim, claimed_until, expires_at)
    values (org, p_client, p_key, p_digest, p_claim, clock_timestamp() + make_interval(secs => p_claim_seconds),
        clock_timestamp() + interval '24 hours')
    on conflict (org_id, client_row_id, key) do update
      set request_digest = p_digest, claim = p_claim, claimed_until = excluded.claimed_until,
          expires_at = excluded.expires_at, status = null, sealed_answer = null, headers = null, committed = false,
          created_at = clock_timestamp()
      where k.expires_at <= clock_timestamp()
        or (not k.committed and k.status is null and k.claimed_until <= clock_timestamp()
          and k.request_digest = p_digest);
  if found then
    state := 'mine';
    return next;
    return;
  end if;
  select * into known from idempotency_keys k where k.org_id = org and k.client_row_id = p_client and k.key = p_key;
  -- Given up between the two statements: as good as under way.
  state := case when known.key is null then 'busy' when known.request_digest <> p_digest then 'other'
    when known.status is not null then 'answered' when known.claimed_until > clock_timestamp() then 'busy'
    else 'lost' end;
  status := known.status;
  sealed_answer := known.sealed_answer;
  headers := known.headers;
  return next;
end
$$;

-- Marks, in the transaction that changes something, that the request of the key has done so. False when the claim was
-- lost.
create or replace function docsvc_commit_idempotency_key(p_client uuid, p_key text, p_claim uuid)
returns boolean
language plpgsql
as $$
begin
  update idempotency_keys k set committed = true
    where k.org_id = current_setting('docsvc.org_id')::uuid and k.client_row_id = p_client and k.key = p_key
      and k.claim = p_claim;
  return found;
end
$$;

-- Keeps the answer for those who ask again.
create or replace function docsvc_keep_idempotent_answer(
  p_client uuid, p_key text, p_claim uuid, p_status int, p_answer bytea, p_headers jsonb)
returns void
language sql
as $$
  update idempotency_keys k set status = p_status, sealed_answer = p_answer, headers = p_headers
    where k.org_id = current_setting('docsvc.org_id')::uuid and k.client_row_id = p_client and k.key = p_key
      and k.claim = p_claim
$$;

-- A refused request has changed nothing and leaves the key free.
create or replace function docsvc_release_idempotency_key(p_client uuid, p_key text, p_claim uuid)
returns void
language sql
as $$
  delete from idempotency_keys k
    where k.org_id = current_setting('docsvc.org_id')::uuid and k.client_row_id = p_client and k.key = p_key
      and k.claim = p_claim and not k.committed
$$;

-- Across organizations, as docsvc_system.
grant create on schema public to docsvc_system;
set local role docsvc_system;

create or replace function docsvc_delete_expired_idempotency_keys()
returns int
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  deleted int;
begin
  delete from idempotency_keys k where k.expires_at < clock_timestamp();
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

revoke all on function docsvc_delete_expired_idempotency_keys from public;
grant execute on function docsvc_delete_expired_idempotency_keys to docsvc_app;
reset role;
revoke create on schema public from docsvc_system;
