-- Approvals as people see them, what is due, and the release of approved calls.

-- Approvals that wait, oldest first; of the runs of one user, or of all.
create or replace function svc_list_pending_approvals(p_user uuid, p_limit int)
returns setof approvals
language sql stable
as $$
  select a.* from approvals a
    where a.status = 'pending' and (p_user is null or exists (
      select from sessions s where s.id = a.session_id and s.invoked_by_user_id = p_user))
    order by a.requested_at, a.id limit p_limit
$$;

-- The questions of a run to humans, newest first. The table is also the registry of every gated call; those that never
-- asked a human are not listed.
create or replace function svc_list_run_approvals(p_session uuid, p_user uuid, p_limit int)
returns setof approvals
language sql stable
as $$
  select a.* from approvals a
    where a.session_id = p_session
      and a.status in ('pending', 'approved_once', 'approved_session', 'denied', 'expired') and a.expires_at is not null
      and (p_user is null or exists (
        select from sessions s where s.id = a.session_id and s.invoked_by_user_id = p_user))
    order by a.requested_at desc, a.id desc limit p_limit
$$;

-- One question to humans.
create or replace function svc_read_listed_approval(p_approval uuid, p_user uuid)
returns setof approvals
language sql stable
as $$
  select a.* from approvals a
    where a.id = p_approval
      and a.status in ('pending', 'approved_once', 'approved_session', 'denied', 'expired') and a.expires_at is not null
      and (p_user is null or exists (
        select from sessions s where s.id = a.session_id and s.invoked_by_user_id = p_user))
$$;

-- For each approval, other calls of its run that an answer for the whole run would cover, the latest first.
create or replace function svc_list_covered_calls(p_approvals uuid[], p_count int)
returns table (id uuid, summaries text[])
language sql stable
as $$
  select a.id, array_agg(other.summary order by other.last desc)
    from approvals a cross join lateral (
      select o.summary, max(o.requested_at) as last from approvals o
        where o.session_id = a.session_id and o.tool = a.tool and o.id <> a.id and o.summary <> a.summary
          and o.scope_keys is not null and cardinality(o.scope_keys) > 0 and o.scope_keys <@ a.scope_keys
        group by o.summary order by last desc limit p_count) as other
    where a.id = any (p_approvals) group by a.id
$$;

-- Lets an approved call go; false when it was withheld.
create or replace function svc_release_approval(p_approval uuid)
returns boolean
language plpgsql
as $$
begin
  update approvals set released_at = coalesce(released_at, clock_timestamp())
    where id = p_approval and withheld_reason is null;
  return found;
end
$$;

-- Locks the head of the run and withholds an approved call that was not let go; false when that is not so any more.
create or replace function svc_withhold_approval(p_session uuid, p_approval uuid, p_reason text)
returns boolean
language plpgsql
as $$
begin
  perform svc_lock_head(p_session);
  update approvals set withheld_reason = p_reason
    where id = p_approval and withheld_reason is null and released_at is null
      and status in ('approved_once', 'approved_session');
  return found;
end
$$;

-- Locks the head of the run and marks an approved call as refused because the run has stopped; false when it is marked.
create or replace function svc_mark_session_terminal(p_session uuid, p_approval uuid)
returns boolean
language plpgsql
as $$
begin
  perform svc_lock_head(p_session);
  update approvals set session_terminal_recorded = true where id = p_approval and not session_terminal_recorded;
  return found;
end
$$;

-- Locks the head of the run, so that nothing becomes pending in between, and reads what is past its deadline, or all
-- that is pending.
create or replace function svc_lock_due_approvals(p_session uuid, p_all boolean)
returns setof approvals
language plpgsql
as $$
begin
  perform svc_lock_head(p_session);
  return query
    select * from approvals
      where session_id = p_session and status = 'pending' and (p_all or expires_at <= clock_timestamp())
      order by requested_at, id;
end
$$;
