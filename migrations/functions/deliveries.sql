-- Results of runs on their way to their destinations.

-- Where the result of a run goes, as it was frozen; nothing for a run without a subscription.
create or replace function svc_read_destinations(p_session uuid)
returns table (subscription_id uuid, destination_index int, destination jsonb)
language sql stable
as $$
  select s.subscription_id, (d.place - 1)::int, d.destination
    from sessions s
    cross join jsonb_array_elements(s.run_spec -> 'result_destinations') with ordinality as d (destination, place)
    where s.id = p_session and s.subscription_id is not null
    order by d.place
$$;

create or replace function svc_read_delivery(p_delivery uuid)
returns table (
  subscription_id uuid, subscription_name text, destination jsonb, status text, attempts int, resends int,
  ms_until_next_attempt int
)
language sql stable
as $$
  select d.subscription_id, t.name, d.destination, d.status, d.attempts, d.resends,
         (extract(epoch from d.next_attempt_at - clock_timestamp()) * 1000)::int
    from result_deliveries d join trigger_subscriptions t on t.id = d.subscription_id
    where d.id = p_delivery
$$;

-- The sealed secret of a subscription's callback, while it is that of the generation.
create or replace function svc_read_callback_secret(p_subscription uuid, p_generation int)
returns table (sealed bytea, key_version smallint)
language sql stable
as $$
  select t.callback_secret_sealed, t.callback_secret_key_version from trigger_subscriptions t
    where t.id = p_subscription and t.authority_generation = p_generation and t.callback_secret_sealed is not null
$$;

-- Counts an attempt and what came of it, unless it is on the record already or the delivery was sent on its way again.
-- Without a wait it was the last one.
create or replace function svc_record_attempt(
  p_delivery uuid, p_resends int, p_attempt int, p_status text, p_error text, p_digest text, p_wait_ms int
)
returns boolean
language plpgsql
as $$
declare
  at timestamptz := clock_timestamp();
begin
  update result_deliveries
    set attempts = p_attempt, status = p_status, last_error = p_error,
        payload_digest = coalesce(p_digest, payload_digest),
        next_attempt_at = at + make_interval(secs => p_wait_ms / 1000.0),
        delivered_at = case p_status when 'delivered' then at end, updated_at = at
    where id = p_delivery and status = 'pending' and resends = p_resends and attempts = p_attempt - 1;
  return found;
end
$$;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- Deliveries whose next attempt has been due for so long: the driver has lost them, or is late.
create or replace function svc_list_overdue_deliveries(p_older_than_ms int, p_limit int)
returns table (organization_id uuid, session_id uuid, delivery_id uuid, resends int)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select d.tenant_id, d.session_id, d.id, d.resends from result_deliveries d
    where d.status = 'pending'
      and d.next_attempt_at <= clock_timestamp() - make_interval(secs => p_older_than_ms / 1000.0)
    order by d.next_attempt_at limit p_limit
$$;

revoke all on function svc_list_overdue_deliveries from public;
grant execute on function svc_list_overdue_deliveries to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
