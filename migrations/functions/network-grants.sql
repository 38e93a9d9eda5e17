-- What runs were granted of the network: how a grant ends.

-- Ends a grant, once: ended for the one call that did it, over when it was ended before, none for a run without one.
create or replace function svc_end_grant(p_session uuid, p_status text, p_reason text)
returns text
language plpgsql
as $$
begin
  update network_grants set status = p_status, reason = p_reason, decided_at = clock_timestamp()
    where session_id = p_session and status in ('pending', 'active');
  if found then return 'ended'; end if;
  return case when exists (select from network_grants where session_id = p_session) then 'over' else 'none' end;
end
$$;
