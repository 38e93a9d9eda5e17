-- Functions of triggers. These functions exist before the tables do, so no signature here names one.

-- 80 % of a cap, rounded up; null for no cap and for a cap of zero.
create or replace function svc_warn_at(p_cap numeric)
returns bigint
language sql immutable parallel safe
as $$ select case when p_cap > 0 then ceil(p_cap * 0.8)::bigint end $$;

-- Tables that take inserts alone, for everybody, the owner included.
create or replace function svc_refuse_change()
returns trigger
language plpgsql
as $$
begin
  raise exception '% is append-only: % refused', tg_table_name, lower(tg_op) using errcode = 'insufficient_privilege';
end
$$;

create or replace function svc_refuse_version_change()
returns trigger
language plpgsql
as $$
begin
  -- Inside the cascade from the identity the depth is 2; a statement of a client runs at depth 1.
  if tg_op = 'DELETE' and pg_trigger_depth() > 1 then return null; end if;
  raise exception 'policy_versions is append-only: % refused', lower(tg_op) using errcode = 'insufficient_privilege';
end
$$;

create or replace function svc_guard_session()
returns trigger
language plpgsql
as $$
begin
  if (new.id, new.tenant_id, new.agent_id, new.agent_revision_id, new.run_spec, new.run_spec_digest, new.task)
     is distinct from
     (old.id, old.tenant_id, old.agent_id, old.agent_revision_id, old.run_spec, old.run_spec_digest, old.task) then
    raise exception 'the frozen specification of a run cannot change' using errcode = 'insufficient_privilege';
  end if;
  if svc_is_terminal(old.status) and new.status is distinct from old.status then
    raise exception 'run % is already %', old.id, old.status using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;

-- A run that somebody has ended accepts no more work from the moment its finalization request is recorded, and
-- not only when the driver has moved it.
create or replace function svc_note_ending()
returns trigger
language plpgsql
as $$
begin
  update session_heads set ending = true where session_id = new.session_id;
  return null;
end
$$;

create or replace function svc_mark_warnings()
returns trigger
language plpgsql
as $$
declare
  caps jsonb := (select run_spec -> 'budgets' from sessions where id = new.session_id);
begin
  new.warn_tool_calls := svc_warn_at((caps ->> 'max_tool_calls')::numeric);
  new.warn_tokens := svc_warn_at((caps ->> 'max_tokens')::numeric);
  new.warn_cost_micros := svc_warn_at(round((caps ->> 'max_cost_usd')::numeric * 1000000));
  return new;
end
$$;

-- budget.warning, exactly once for each cap, in the transaction that reaches 80 % of it. The marks live on the head
-- row, which every call and every settlement writes anyway. Usage that arrives late and lowers the spend again warns
-- no second time.
create or replace function svc_warn_of_budgets()
returns trigger
language plpgsql
as $$
declare
  caps jsonb := (select run_spec -> 'budgets' from sessions where id = new.session_id);
  bodies text[] := '{}';
begin
  if new.tool_calls >= new.warn_tool_calls then
    bodies := bodies || svc_warning_body('max_tool_calls', caps ->> 'max_tool_calls', new.tool_calls::text);
  end if;
  if new.spent_tokens >= new.warn_tokens then
    bodies := bodies || svc_warning_body('max_tokens', caps ->> 'max_tokens', new.spent_tokens::text);
  end if;
  if new.spent_cost_micros >= new.warn_cost_micros then
    bodies := bodies || svc_warning_body('max_cost_usd',
      trim_scale(round((caps ->> 'max_cost_usd')::numeric, 6))::text,
      trim_scale(new.spent_cost_micros / 1000000.0)::text);
  end if;
  update session_heads set
    warn_tool_calls = case when new.tool_calls >= new.warn_tool_calls then null else warn_tool_calls end,
    warn_tokens = case when new.spent_tokens >= new.warn_tokens then null else warn_tokens end,
    warn_cost_micros = case when new.spent_cost_micros >= new.warn_cost_micros then null else warn_cost_micros end
    where session_id = new.session_id;
  perform svc_append(new.session_id, bodies, array_fill(null::text, array[cardinality(bodies)]));
  return null;
end
$$;

create or replace function svc_guard_connection()
returns trigger
language plpgsql
as $$
begin
  if (new.id, new.tenant_id, new.provider, new.auth_kind, new.owner_type, new.owner_user_id, new.created_by_user_id)
     is distinct from
     (old.id, old.tenant_id, old.provider, old.auth_kind, old.owner_type, old.owner_user_id, old.created_by_user_id)
  then
    raise exception 'owner and kind of a connection cannot change' using errcode = 'insufficient_privilege';
  end if;
  if old.status = 'revoked' and new.status <> 'revoked' and old.provider <> 'codehost_app' then
    raise exception 'connection % is revoked', old.id using errcode = 'insufficient_privilege';
  end if;
  if new.authorization_generation not in (old.authorization_generation, old.authorization_generation + 1)
     or (new.authorization_generation <> old.authorization_generation and new.auth_kind <> 'oauth') then
    raise exception 'the authorization generation grows by one, and for OAuth alone'
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;

-- What is terminal stays as it is, whoever writes: a call of unknown outcome can never become one that may be sent.
create or replace function svc_guard_claim()
returns trigger
language plpgsql
as $$
begin
  if old.state in ('succeeded', 'failed_upstream', 'ambiguous')
     or (old.state = 'failed_before_send' and (new.state <> 'claimed' or new.attempt <> old.attempt + 1))
     or (old.state = 'claimed' and new.attempt <> old.attempt)
     or (new.tenant_id, new.session_id, new.call_id, new.tool_call_id, new.tool, new.input_digest)
        is distinct from (old.tenant_id, old.session_id, old.call_id, old.tool_call_id, old.tool, old.input_digest) then
    raise exception 'claim % cannot move from % to %', old.id, old.state, new.state
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;

create or replace function svc_forget_access_token()
returns trigger
language plpgsql
as $$
begin
  delete from connector_access_tokens where connection_id = new.id;
  return null;
end
$$;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- Every organization has a counter, so that the pass finds those with runs in line from it.
create or replace function svc_open_counter()
returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  insert into capacity_counters (scope) values (new.id::text) on conflict (scope) do nothing;
  return null;
end
$$;

revoke all on function svc_open_counter from public;
grant execute on function svc_open_counter to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
