-- Hot-path calls of one organization in one statement: calls that arrive while another is on its way share a round trip
-- and a commit. Each call has the effect that it would have alone, and none waits for a lock of another.

-- One answer for each call, in order; null for a call that was not made, because somebody else holds its run or
-- because it needs more than is done here, and that its caller makes alone. p_calls: [kind, arguments] each;
-- p_sessions: the run of each.
create or replace function svc_run_calls(p_tenant uuid, p_sessions uuid[], p_calls jsonb)
returns setof jsonb
language plpgsql
as $$
declare
  ignored text := set_config('svc.tenant', p_tenant::text, true);
  ours uuid[];
  answers jsonb[] := array_fill(null::jsonb, array[cardinality(p_sessions)]);
  gated svc_gate_call[];
  reserved svc_reserve_call[];
  settled svc_settle_call[];
  g svc_gate_call;
begin
  ours := array(select session_id from session_heads where session_id = any(p_sessions) for no key update skip locked);
  with calls as (
    select value ->> 0 as kind, value -> 1 || jsonb_build_object('place', place) as arguments
      from jsonb_array_elements(p_calls) with ordinality as c (value, place) where p_sessions[c.place] = any(ours)
  )
  select array_agg(jsonb_populate_record(null::svc_gate_call, arguments)) filter (where kind = 'gate'),
         array_agg(jsonb_populate_record(null::svc_reserve_call, arguments)) filter (where kind = 'reserve'),
         array_agg(jsonb_populate_record(null::svc_settle_call, arguments)) filter (where kind = 'settle')
    into gated, reserved, settled from calls;
  if gated is not null then
    answers := svc_gate_new(p_tenant, gated, cardinality(p_sessions));
    foreach g in array gated loop
      continue when answers[g.place] is not null;
      answers[g.place] := to_jsonb(svc_gate(g.token, p_tenant, g.session, g.spec_digest, g.id, g.call, g.tool,
        g.summary, g.input_digest, g.allow, g.source, g.original, g.reason, g.max_calls, g.bodies, g.digests));
    end loop;
  end if;
  if settled is not null then answers := svc_settle_plain(p_tenant, settled, answers); end if;
  if reserved is not null then answers := svc_reserve_plain(p_tenant, reserved, answers); end if;
  return query select unnest(answers);
end
$$;
