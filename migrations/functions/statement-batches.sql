-- Hot-path calls of one organization in one statement: calls that arrive while another is on its way share a round trip
-- and a commit. Each call has the effect that it would have alone, and none waits for a lock of another.

-- One answer for each call, in order. p_calls: [kind, arguments] each; p_sessions: the run of each. Null for a call
-- whose run somebody else holds; with p_wait it waits for the run instead, which only a call by itself may do.
create or replace function svc_batch_calls(p_tenant uuid, p_sessions uuid[], p_calls jsonb, p_wait boolean)
returns setof jsonb
language plpgsql
as $$
declare
  ignored text := set_config('service.tenant_id', p_tenant::text, true);
  ours uuid[] := p_sessions;
  answers jsonb[] := array_fill(null::jsonb, array[cardinality(p_sessions)]);
  gated svc_gate_call[];
  reserved svc_reserve_call[];
  settled svc_settle_call[];
  step record;
begin
  if p_wait then
    perform 1 from session_heads where session_id = any(p_sessions) for no key update;
  else
    ours := array(
      select session_id from session_heads where session_id = any(p_sessions) for no key update skip locked);
  end if;
  with calls as (
    select value ->> 0 as kind, value -> 1 || jsonb_build_object('place', place) as arguments
      from jsonb_array_elements(p_calls) with ordinality as c (value, place) where p_sessions[c.place] = any(ours)
  )
  select array_agg(jsonb_populate_record(null::svc_gate_call, arguments)) filter (where kind = 'gate'),
         array_agg(jsonb_populate_record(null::svc_reserve_call, arguments)) filter (where kind = 'reserve'),
         array_agg(jsonb_populate_record(null::svc_settle_call, arguments)) filter (where kind = 'settle')
    into gated, reserved, settled from calls;
  while cardinality(gated) > 0 loop
    step := svc_gate(p_tenant, gated, answers);
    gated := step.calls; answers := step.answers;
  end loop;
  while cardinality(settled) > 0 loop
    step := svc_settle(p_tenant, settled, answers);
    settled := step.calls; answers := step.answers;
  end loop;
  if reserved is not null then answers := svc_reserve(p_tenant, reserved, answers); end if;
  return query select unnest(answers);
end
$$;
