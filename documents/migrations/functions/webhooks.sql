-- Events, deliveries and their attempts.

-- An id for a row, a UUID of version 7: rows lie, and are listed, in the order in which they were made.
create or replace function docsvc_new_row_id()
returns uuid
language sql volatile
as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
      substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
    52, 1), 53, 1), 'hex')::uuid
$$;

-- An event, with a delivery for each enabled webhook of the project that asked for its type. A webhook that is being
-- deleted is waited for and left out, so that the state of which the event tells never fails by it. Answers the
-- deliveries.
create or replace function docsvc_append_event(
  p_id uuid, p_org uuid, p_project uuid, p_type text, p_data jsonb, p_result json)
returns setof uuid
language plpgsql
as $$
begin
  insert into events_outbox (id, org_id, project_id, type, data, result)
    values (p_id, p_org, p_project, p_type, p_data, p_result);
  return query
    with listening as (
      select w.id from webhooks w
        where w.org_id = p_org and w.project_id = p_project and w.enabled
          and (p_type = any (w.events) or '*' = any (w.events))
        for key share
    )
    insert into deliveries (id, org_id, project_id, webhook_id, event_id, event_type, next_attempt_at)
      select docsvc_new_row_id(), p_org, p_project, l.id, p_id, p_type, clock_timestamp() from listening l
      returning id;
end
$$;

-- An event for one webhook alone, whatever it listens to. Answers the delivery.
create or replace function docsvc_append_test_event(p_id uuid, p_org uuid, p_webhook uuid, p_type text, p_data jsonb)
returns uuid
language plpgsql
as $$
declare
  delivery constant uuid := docsvc_new_row_id();
begin
  insert into events_outbox (id, org_id, project_id, type, data)
    select p_id, p_org, w.project_id, p_type, p_data from webhooks w where w.id = p_webhook;
  insert into deliveries (id, org_id, project_id, webhook_id, event_id, event_type, next_attempt_at)
    select delivery, p_org, w.project_id, w.id, p_id, p_type, clock_timestamp() from webhooks w where w.id = p_webhook;
  return delivery;
end
$$;

-- What an attempt needs. `wait_ms` is what is left until it is due.
create or replace function docsvc_read_delivery(p_delivery uuid)
returns table (
  webhook_id uuid, project_id uuid, event_id uuid, event_type text, status text, attempts int, round_attempts int,
  wait_ms int, url text, enabled boolean, retry jsonb, sealed_secret bytea, sealed_previous_secret bytea,
  occurred_at timestamptz, data jsonb, result json
)
language sql stable
as $$
  select d.webhook_id, d.project_id, d.event_id, d.event_type, d.status, d.attempts,
      d.attempts - d.attempts_before_round,
      greatest(0, ceil(extract(epoch from d.next_attempt_at - clock_timestamp()) * 1000))::int,
      w.url, w.enabled, w.retry, w.sealed_secret,
      case when w.previous_secret_until > clock_timestamp() then w.sealed_previous_secret end,
      e.occurred_at, e.data, case when w.include_result then e.result end
    from deliveries d
    join webhooks w on w.id = d.webhook_id
    join events_outbox e on e.id = d.event_id
    where d.id = p_delivery
$$;

-- Puts an attempt on the record, unless it is there already, and moves its delivery. Without a wait it was the last
-- one. A webhook whose receiver is gone, or of which nothing has succeeded for so long, is disabled, and what is still
-- on its way to it is cancelled. `recorded` is false for an attempt that was there; `disabled` says that this one
-- disabled the webhook.
create or replace function docsvc_record_delivery_attempt(
  p_delivery uuid, p_number int, p_at timestamptz, p_status_code int, p_duration_ms int, p_error text, p_snippet text,
  p_succeeded boolean, p_wait_ms int, p_gone boolean, p_failing_days int)
returns table (recorded boolean, disabled boolean)
language plpgsql
as $$
declare
  moved deliveries;
  hook webhooks;
begin
  recorded := false;
  disabled := false;
  update deliveries d
    set attempts = p_number, postponed = 0,
        status = case when p_succeeded then 'succeeded' when p_wait_ms is null or p_gone then 'exhausted'
          else 'retrying' end,
        next_attempt_at = case when not p_succeeded and not p_gone
          then clock_timestamp() + make_interval(secs => p_wait_ms / 1000.0) end,
        finished_at = case when p_succeeded or p_wait_ms is null or p_gone then clock_timestamp() end
    where d.id = p_delivery and d.attempts = p_number - 1 and d.status in ('pending', 'retrying')
    returning * into moved;
  if not found then
    return next;
    return;
  end if;
  recorded := true;
  insert into delivery_attempts (org_id, delivery_id, number, at, status_code, duration_ms, error, response_snippet)
    values (moved.org_id, p_delivery, p_number, p_at, p_status_code, p_duration_ms, p_error, p_snippet);
  update webhooks w
    set failing_since = case when p_succeeded then null else coalesce(w.failing_since, p_at) end
    where w.id = moved.webhook_id and (not p_succeeded or w.failing_since is not null)
    returning * into hook;
  if hook.enabled and not p_succeeded
      and (p_gone or hook.failing_since <= clock_timestamp() - make_interval(days => p_failing_days)) then
    disabled := true;
    perform docsvc_disable_webhook(moved.webhook_id, case when p_gone then 'the receiver answered 410 Gone'
      else format('no delivery has succeeded for %s days', p_failing_days) end);
  end if;
  return next;
end
$$;

-- Puts off an attempt whose turn has not come: 200 ms at first, twice as long after each time, a minute at most, and
-- up to a half more or less, so that those who wait do not come all at once. @returns milliseconds; null when there is
-- none
create or replace function docsvc_postpone_delivery(p_delivery uuid)
returns int
language plpgsql
as $$
declare
  wait_ms int;
begin
  select least(60000, 200 * 2 ^ least(d.postponed, 10)) * (0.5 + random()) into wait_ms from deliveries d
    where d.id = p_delivery and d.status in ('pending', 'retrying') for update;
  if not found then return null; end if;
  update deliveries d
    set postponed = d.postponed + 1, next_attempt_at = clock_timestamp() + make_interval(secs => wait_ms / 1000.0)
    where d.id = p_delivery;
  return wait_ms;
end
$$;

-- Disables a webhook and cancels what is on its way to it.
create or replace function docsvc_disable_webhook(p_webhook uuid, p_reason text)
returns void
language plpgsql
as $$
begin
  update webhooks w
    set enabled = false, disabled_reason = p_reason, row_version = w.row_version + 1, updated_at = clock_timestamp()
    where w.id = p_webhook and w.enabled;
  update deliveries d set status = 'cancelled', next_attempt_at = null, finished_at = clock_timestamp()
    where d.webhook_id = p_webhook and d.status in ('pending', 'retrying');
end
$$;

-- Ends a delivery whose webhook was disabled before it was sent.
create or replace function docsvc_cancel_delivery(p_delivery uuid)
returns void
language sql
as $$
  update deliveries d set status = 'cancelled', next_attempt_at = null, finished_at = clock_timestamp()
    where d.id = p_delivery and d.status in ('pending', 'retrying')
$$;

-- Sends a finished delivery on its way again, with attempts of its own. False where it is on its way already.
create or replace function docsvc_redeliver(p_delivery uuid)
returns boolean
language plpgsql
as $$
begin
  update deliveries d
    set status = 'pending', attempts_before_round = d.attempts, postponed = 0,
      next_attempt_at = clock_timestamp(), finished_at = null
    where d.id = p_delivery and d.status in ('succeeded', 'exhausted', 'cancelled');
  return found;
end
$$;

-- Across organizations, as docsvc_system.
grant create on schema public to docsvc_system;
set local role docsvc_system;

-- Deliveries whose attempt has been due for so long: the driver has lost them.
create or replace function docsvc_list_overdue_deliveries(p_older_than_ms int, p_limit int)
returns table (org_id uuid, delivery_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select d.org_id, d.id from deliveries d
    where d.status in ('pending', 'retrying')
      and d.next_attempt_at < clock_timestamp() - make_interval(secs => p_older_than_ms / 1000.0)
    order by d.next_attempt_at limit p_limit
$$;

-- Events with their deliveries and attempts, once they are so old.
create or replace function docsvc_delete_old_events(p_days int, p_limit int)
returns int
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  deleted int;
begin
  delete from events_outbox e where e.id in (
    select o.id from events_outbox o where o.occurred_at < clock_timestamp() - make_interval(days => p_days)
      limit p_limit);
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

revoke all on function docsvc_list_overdue_deliveries from public;
grant execute on function docsvc_list_overdue_deliveries to docsvc_app;
revoke all on function docsvc_delete_old_events from public;
grant execute on function docsvc_delete_old_events to docsvc_app;
reset role;
revoke create on schema public from docsvc_system;
