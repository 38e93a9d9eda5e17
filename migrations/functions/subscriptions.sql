-- Subscriptions: their locks, their runs, and their tokens.

-- Everything that checks a subscription's runs and then starts one holds this lock, so that its concurrency policy is
-- exact. A subscription that lets runs stack up has nothing to check: its starters do not wait for each other. There
-- are two locks, always taken in this order: the first says that the policy stays what it is, the second is for one
-- starter at a time. With one, those who find that the policy has changed while they waited would all wait for each
-- other.
create or replace function svc_lock_subscription(p_subscription uuid, p_change boolean)
returns void
language plpgsql
as $$
declare
  terms bigint := hashtextextended('subscription:' || p_subscription, 0);
  turn bigint := hashtextextended('subscription turn:' || p_subscription, 0);
begin
  if p_change then
    perform pg_advisory_xact_lock(terms);
    return;
  end if;
  perform pg_advisory_xact_lock_shared(terms);
  if (select concurrency_policy <> 'allow' from trigger_subscriptions where id = p_subscription) then
    perform pg_advisory_xact_lock(turn);
  end if;
end
$$;

-- Runs of a subscription that are not over, whatever started them, oldest first.
create or replace function svc_list_active_runs(p_subscription uuid)
returns table (session_id uuid, ending boolean)
language sql stable
as $$
  select s.id, h.ending from sessions s join session_heads h on h.session_id = s.id
    where s.subscription_id = p_subscription
      and s.status not in ('completed', 'failed', 'cancelled', 'budget_exceeded')
    order by s.id
$$;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

create or replace function svc_find_trigger_token(p_sha256 text)
returns table (token_id uuid, organization_id uuid, subscription_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select t.id, t.tenant_id, t.subscription_id from api_tokens t
    join tenants o on o.id = t.tenant_id and o.status = 'active'
    where t.token_sha256 = p_sha256 and t.kind = 'trigger' and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > clock_timestamp())
$$;

revoke all on function svc_find_trigger_token from public;
grant execute on function svc_find_trigger_token to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
