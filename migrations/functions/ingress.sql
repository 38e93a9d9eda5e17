-- Webhooks of code hosts: whose they are, storing them once, and which subscriptions they still have to start.

-- Enabled event subscriptions of the connection that listen to such an event, oldest first. No events listen to
-- nothing, no repositories to all of them.
create or replace function svc_match_event(p_connection uuid, p_event_type text, p_repository text)
returns table (subscription_id uuid, place bigint)
language sql stable
as $$
  select s.id, row_number() over (order by s.created_at, s.id)
    from trigger_subscriptions s
    where s.connection_id = p_connection and s.enabled and s.trigger_kind = 'event' and p_event_type = any (s.events)
      and (cardinality(s.repositories) = 0
           or exists (select from unnest(s.repositories) as r (name) where lower(r.name) = lower(p_repository)))
$$;

-- Matches of a stored webhook that nothing came of yet, in the order in which they are served.
create or replace function svc_list_undispatched(p_delivery uuid)
returns table (subscription_id uuid, place bigint)
language sql stable
as $$
  select m.subscription_id, m.place
    from trigger_deliveries d, svc_match_event(d.connection_id, d.event_type, d.event ->> 'repository') m
    where d.id = p_delivery
      and not exists (select from trigger_dispatches x
                      where x.delivery_id = d.id and x.subscription_id = m.subscription_id)
$$;

-- Stores one webhook and answers which delivery it counts as. The same id of the host is the same delivery, and so is
-- the same content within seven days, because some hosts send again under a new id. A delivery that a subscription
-- waits for gets its wake-up here; one that is sent again gets another when a match of it lacks what came of it.
create or replace function svc_store_webhook(
  p_webhook trigger_deliveries, out delivery_id uuid, out duplicate boolean, out outbox_id bigint,
  out dispatched jsonb
)
language plpgsql
as $$
declare
  waiting boolean;
begin
  select d.id into delivery_id from trigger_deliveries d
    where d.connection_id = p_webhook.connection_id and d.external_event_id = p_webhook.external_event_id
    -- A sweep that is about to delete it makes it a new one.
    for no key update;
  if delivery_id is null then
    select d.id into delivery_id from trigger_deliveries d
      where d.connection_id = p_webhook.connection_id and d.event_type = p_webhook.event_type
        and d.payload_digest = p_webhook.payload_digest
        and d.received_at > clock_timestamp() - interval '7 days'
      order by d.received_at limit 1;
  end if;
  duplicate := delivery_id is not null;
  if duplicate then
    update trigger_deliveries d set handled_at = null
      where d.id = delivery_id and d.handled_at is not null
        and exists (select from svc_list_undispatched(delivery_id));
    waiting := found;
    select jsonb_agg(jsonb_build_object('subscription_id', x.subscription_id, 'session_id', x.session_id)
                     order by x.created_at, x.id)
      into dispatched from trigger_dispatches x where x.delivery_id = svc_store_webhook.delivery_id;
  else
    delivery_id := p_webhook.id;
    waiting := exists (select from svc_match_event(p_webhook.connection_id, p_webhook.event_type,
                                                   p_webhook.event ->> 'repository'));
    insert into trigger_deliveries (id, tenant_id, connection_id, external_event_id, event_type, payload,
      payload_digest, event, occurred_at, handled_at)
    values (p_webhook.id, p_webhook.tenant_id, p_webhook.connection_id, p_webhook.external_event_id,
      p_webhook.event_type, p_webhook.payload, p_webhook.payload_digest, p_webhook.event, p_webhook.occurred_at,
      case when waiting then null else clock_timestamp() end);
  end if;
  if waiting then outbox_id := svc_insert_outbox(p_webhook.tenant_id, delivery_id, 'webhook_stored'); end if;
end
$$;

-- Webhooks of one organization that came together, in one statement. Each has the effect that it would have alone.
-- Processes that store the same webhook at the same time wait for each other, always in the same order.
create or replace function svc_store_webhooks(
  p_tenant uuid, p_ids uuid[], p_connections uuid[], p_external_ids text[], p_types text[], p_payloads text[],
  p_digests text[], p_events text[], p_occurred timestamptz[]
)
returns table (place bigint, delivery_id uuid, duplicate boolean, outbox_id bigint, dispatched jsonb)
language plpgsql
as $$
declare
  item record;
  webhook trigger_deliveries;
begin
  perform set_config('service.tenant_id', p_tenant::text, true);
  perform pg_advisory_xact_lock(k.key)
    from (select distinct hashtextextended('webhook:' || w.connection || ':' || w.mark, 0) as key
            from unnest(p_connections || p_connections, p_external_ids || p_digests) as w (connection, mark)
            order by 1) k;
  webhook.tenant_id := p_tenant;
  for item in
    select * from unnest(p_ids, p_connections, p_external_ids, p_types, p_payloads, p_digests, p_events, p_occurred)
        with ordinality as w (id, connection, external_id, type, payload, digest, event, occurred_at, place)
      order by w.place
  loop
    webhook.id := item.id;
    webhook.connection_id := item.connection;
    webhook.external_event_id := item.external_id;
    webhook.event_type := item.type;
    webhook.payload := item.payload::json;
    webhook.payload_digest := item.digest;
    webhook.event := item.event::jsonb;
    webhook.occurred_at := item.occurred_at;
    place := item.place;
    select s.delivery_id, s.duplicate, s.outbox_id, s.dispatched into delivery_id, duplicate, outbox_id, dispatched
      from svc_store_webhook(webhook) s;
    return next;
  end loop;
end
$$;

-- Marks a stored webhook as handled, unless a match of it still waits; then its workflow looks again.
create or replace function svc_settle_webhook(p_delivery uuid)
returns boolean
language plpgsql
as $$
begin
  update trigger_deliveries set handled_at = clock_timestamp()
    where id = p_delivery and not exists (select from svc_list_undispatched(p_delivery));
  return found;
end
$$;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- Whose webhooks come to these addresses, with the secret that proves them: nobody's scope is known before that.
create or replace function svc_find_webhook_connections(p_ids uuid[])
returns table (
  id uuid, organization_id uuid, provider text, account_id text, status text, sealed bytea, key_version smallint
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select c.id, c.tenant_id, c.provider, c.external_account_id, c.status, c.webhook_secret_sealed,
         c.webhook_secret_key_version
    from integration_connections c where c.id = any (p_ids)
$$;

create or replace function svc_find_webhook_registrations(p_ids uuid[])
returns table (id uuid, organization_id uuid, status text, sealed bytea, key_version smallint)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select r.id, r.tenant_id, r.status, r.webhook_secret_sealed, r.webhook_secret_key_version
    from github_app_registrations r where r.id = any (p_ids)
$$;

-- Stored webhooks that a subscription still waits for, oldest first; page with the last one.
create or replace function svc_list_unhandled_webhooks(p_older_than_ms int, p_after uuid, p_limit int)
returns table (organization_id uuid, delivery_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select d.tenant_id, d.id from trigger_deliveries d
    where d.handled_at is null and (p_after is null or d.id > p_after)
      and d.received_at <= clock_timestamp() - make_interval(secs => p_older_than_ms / 1000.0)
    order by d.id limit p_limit
$$;

revoke all on function svc_find_webhook_connections, svc_find_webhook_registrations, svc_list_unhandled_webhooks
  from public;
grant execute on function svc_find_webhook_connections, svc_find_webhook_registrations, svc_list_unhandled_webhooks
  to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
