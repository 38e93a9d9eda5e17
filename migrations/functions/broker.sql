-- The life of a brokered call in the record, one round trip a step: offer, take, settle, read. Claim and settle take
-- the head row first, as everybody does who changes a run, so a run that was stopped cannot dispatch.

-- Stores the input of a call that may be dispatched, and returns the state of its claim; null where there is none.
create or replace function svc_offer_call(
  p_tenant uuid, p_session uuid, p_call text, p_sealed bytea, p_key_version smallint
)
returns svc_offered_call
language plpgsql
as $$
declare
  ignored text := set_config('service.tenant_id', p_tenant::text, true);
  offered svc_offered_call;
begin
  select a.id, c.state, c.attempt, c.id
    into offered.call_id, offered.state, offered.attempt, offered.claim_id
    from approvals a
    left join tool_execution_claims c
      on c.session_id = a.session_id and c.tool_call_id = a.tool_call_id and c.input_digest = a.input_digest
    where a.session_id = p_session and a.tool_call_id = p_call;
  if offered.state is null or offered.state = 'failed_before_send' then
    insert into tool_call_payloads (tenant_id, session_id, tool_call_id, kind, sealed, key_version)
      values (p_tenant, p_session, p_call, 'input', p_sealed, p_key_version)
      on conflict (session_id, tool_call_id, kind) do update
        set sealed = excluded.sealed, key_version = excluded.key_version;
  end if;
  return offered;
end
$$;

create or replace function svc_is_let_go(p_call approvals)
returns boolean
language sql immutable
as $$
  select p_call.status = 'auto_allowed'
    or (p_call.status in ('approved_once', 'approved_session') and p_call.released_at is not null
        and p_call.withheld_reason is null)
$$;

-- Takes the claim for one dispatch. Outcome claimed: the caller alone may send. inactive: the run accepts no work.
-- not_allowed: the gate has not let the call go. taken: it is in another state, or another attempt than expected.
create or replace function svc_claim_call(
  p_tenant uuid, p_session uuid, p_call_id uuid, p_id uuid, p_attempt int, p_ttl_secs float8
)
returns svc_claim_answer
language plpgsql
as $$
declare
  answer svc_claim_answer;
  is_ending boolean;
  run_status text;
  asked approvals;
begin
  perform set_config('service.tenant_id', p_tenant::text, true);
  select ending into is_ending from session_heads where session_id = p_session for no key update;
  select status into run_status from sessions where id = p_session;
  if run_status is null or is_ending or not svc_accepts_work(run_status) then
    answer.outcome := 'inactive';
    return answer;
  end if;
  select * into asked from approvals where id = p_call_id and session_id = p_session;
  if asked.id is null or not svc_is_let_go(asked) then
    answer.outcome := 'not_allowed';
    return answer;
  end if;
  if p_attempt = 1 then
    insert into tool_execution_claims
        (id, tenant_id, session_id, call_id, tool_call_id, tool, input_digest, claim_expires_at)
      values (p_id, p_tenant, p_session, asked.id, asked.tool_call_id, asked.tool, asked.input_digest,
              clock_timestamp() + make_interval(secs => p_ttl_secs))
      on conflict (session_id, tool_call_id, input_digest) do nothing
      returning 'claimed', id, attempt into answer.outcome, answer.claim_id, answer.attempt;
    -- The same caller again, who never heard that it has the claim.
    if answer.outcome is null then
      select 'claimed', c.id, c.attempt into answer.outcome, answer.claim_id, answer.attempt
        from tool_execution_claims c
        where c.id = p_id and c.session_id = p_session and c.state = 'claimed';
    end if;
  else
    update tool_execution_claims c set state = 'claimed', attempt = p_attempt, claimed_at = clock_timestamp(),
        claim_expires_at = clock_timestamp() + make_interval(secs => p_ttl_secs),
        completed_at = null, result_digest = null, is_error = null, error_message = null
      where c.session_id = p_session and c.tool_call_id = asked.tool_call_id and c.input_digest = asked.input_digest
        and c.state = 'failed_before_send' and c.attempt = p_attempt - 1
      returning 'claimed', c.id, c.attempt into answer.outcome, answer.claim_id, answer.attempt;
  end if;
  answer.outcome := coalesce(answer.outcome, 'taken');
  return answer;
end
$$;

-- Reads a call with the current authority of its slot, and claims it as svc_claim_call does if that authority is
-- exactly the one that p_known has under the id of its binding. Outcome null: it is not, and nothing was claimed.
-- Each row is looked up by its key.
create or replace function svc_take_call(
  p_tenant uuid, p_session uuid, p_call_id uuid, p_known jsonb, p_id uuid, p_attempt int, p_ttl_secs float8
)
returns setof svc_taken_call
language plpgsql
as $$
declare
  taken svc_taken_call;
  asked approvals;
  claim svc_claim_answer;
begin
  perform set_config('service.tenant_id', p_tenant::text, true);
  select * into asked from approvals where id = p_call_id and session_id = p_session;
  if asked.id is null or not svc_is_let_go(asked) then return; end if;
  taken.tool_call_id := asked.tool_call_id;
  taken.tool := asked.tool;
  taken.input_digest := asked.input_digest;
  select sealed, key_version into taken.sealed, taken.key_version from tool_call_payloads
    where session_id = p_session and tool_call_id = asked.tool_call_id and kind = 'input';
  if not found then return; end if;
  select id into taken.binding_id from run_resource_bindings
    where tenant_id = p_tenant and session_id = p_session and slot_kind = 'mcp'
      and requirement_slot = split_part(substr(asked.tool, 6), '__', 1);
  if taken.binding_id is not null then
    select to_jsonb(l) into taken.current from svc_current_authority(taken.binding_id) l;
    if taken.current = p_known -> taken.binding_id::text then
      claim := svc_claim_call(p_tenant, p_session, p_call_id, p_id, p_attempt, p_ttl_secs);
      taken.outcome := claim.outcome;
      taken.claim_id := claim.claim_id;
    end if;
  end if;
  return next taken;
end
$$;

-- Compare-and-swap from claimed; the last seq, or null when somebody else has settled it, who has also written the
-- events.
create or replace function svc_settle_claim(
  p_tenant uuid, p_session uuid, p_claim uuid, p_attempt int, p_state text, p_result_digest text, p_error text,
  p_sealed bytea, p_key_version smallint, p_bodies text[], p_digests text[]
)
returns bigint
language plpgsql
as $$
declare
  settled tool_execution_claims;
begin
  perform set_config('service.tenant_id', p_tenant::text, true);
  perform 1 from session_heads where session_id = p_session for no key update;
  update tool_execution_claims set state = p_state, completed_at = clock_timestamp(), result_digest = p_result_digest,
      is_error = p_state <> 'succeeded', error_message = p_error
    where id = p_claim and session_id = p_session and state = 'claimed' and attempt = p_attempt
    returning * into settled;
  if settled.id is null then return null; end if;
  if p_sealed is not null then
    insert into tool_call_payloads (tenant_id, session_id, tool_call_id, kind, sealed, key_version)
      values (p_tenant, p_session, settled.tool_call_id, 'result', p_sealed, p_key_version);
  end if;
  delete from tool_call_payloads
    where session_id = p_session and tool_call_id = settled.tool_call_id and kind = 'input';
  return svc_append(p_session, p_bodies, p_digests);
end
$$;

-- The claim of a call with its stored answer; no row where it has no claim.
create or replace function svc_read_answer(p_tenant uuid, p_session uuid, p_call_id uuid)
returns table (
  state text, attempt int, claim_id uuid, error_message text, tool_call_id text, sealed bytea, key_version smallint
)
language plpgsql
as $$
begin
  perform set_config('service.tenant_id', p_tenant::text, true);
  return query select c.state, c.attempt, c.id, c.error_message, c.tool_call_id, p.sealed, p.key_version
    from approvals a
    join tool_execution_claims c
      on c.session_id = a.session_id and c.tool_call_id = a.tool_call_id and c.input_digest = a.input_digest
    left join tool_call_payloads p
      on p.session_id = c.session_id and p.tool_call_id = c.tool_call_id and p.kind = 'result'
    where a.id = p_call_id and a.session_id = p_session;
end
$$;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- Claims past their time, and the runs that they belong to.
create or replace function svc_list_expired_claims(p_limit int)
returns table (organization_id uuid, session_id uuid, claim_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select c.tenant_id, c.session_id, c.id from tool_execution_claims c
    where c.state = 'claimed' and c.claim_expires_at <= clock_timestamp()
    order by c.claim_expires_at limit p_limit
$$;

-- Gives up sessions that are still open this long after their run has ended: no request is sent for them any more.
create or replace function svc_sweep_upstream_sessions(p_after_secs float8, p_limit int)
returns int
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  with old as (
    select u.ctid from mcp_upstream_sessions u join sessions s on s.id = u.session_id
      where u.deleted_at is null and s.finished_at <= clock_timestamp() - make_interval(secs => p_after_secs)
      order by u.opened_at limit p_limit for update of u skip locked
  ), swept as (
    update mcp_upstream_sessions u set deleted_at = clock_timestamp(), delete_outcome = 'swept'
      from old where u.ctid = old.ctid returning 1
  )
  select count(*)::int from swept
$$;

revoke all on function svc_list_expired_claims, svc_sweep_upstream_sessions from public;
grant execute on function svc_list_expired_claims, svc_sweep_upstream_sessions to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
