-- The limits of outbound calls. The rows are locked in the order of the scopes, which is the same for every caller,
-- and nothing is charged before every scope was asked. Counts may be lost in a crash: they are not worth a flush.

-- refused: the scope that refused, or null. retry_after: seconds. failing: the breaker counts failures, so a success
-- must be reported. probe: the call is the probe of an open breaker.
create or replace function svc_enter_dial(
  p_tenant uuid, p_scopes text[], p_keys text[], p_limits int[], p_connection uuid, p_host_digest text,
  p_open_secs int, p_probe_secs int
)
returns table (refused text, retry_after int, failing boolean, probe boolean)
language plpgsql
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_minute timestamptz := date_trunc('minute', v_now);
  v_used int;
  v_breaker egress_breakers;
  v_left double precision;
begin
  perform set_config('service.tenant_id', p_tenant::text, true), set_config('synchronous_commit', 'off', true);
  failing := false; probe := false;
  for i in 1 .. cardinality(p_scopes) loop
    insert into egress_rate_windows as w (tenant_id, scope, key, window_start, used)
      values (p_tenant, p_scopes[i], p_keys[i], v_minute, 0)
      on conflict (tenant_id, scope, key) do update
        set used = case when w.window_start < v_minute then 0 else w.used end,
            window_start = greatest(w.window_start, v_minute)
      returning w.used into v_used;
    if v_used >= p_limits[i] then
      refused := p_scopes[i];
      retry_after := greatest(1, ceil(extract(epoch from v_minute + interval '1 minute' - v_now)));
      return next; return;
    end if;
  end loop;
  if p_open_secs > 0 then
    select * into v_breaker from egress_breakers
      where tenant_id = p_tenant and connection_id = p_connection and host_digest = p_host_digest for update;
    failing := found;
    if v_breaker.opened_at is not null then
      v_left := extract(epoch from v_breaker.opened_at - v_now) + p_open_secs;
      if v_left <= 0 and v_breaker.probing_since is not null then
        v_left := extract(epoch from v_breaker.probing_since - v_now) + p_probe_secs;
      end if;
      if v_left > 0 then
        refused := 'breaker'; retry_after := greatest(1, ceil(v_left));
        return next; return;
      end if;
      probe := true;
      update egress_breakers set probing_since = v_now, updated_at = v_now
        where tenant_id = p_tenant and connection_id = p_connection and host_digest = p_host_digest;
    end if;
  end if;
  update egress_rate_windows w set used = w.used + 1
    from unnest(p_scopes, p_keys) as charged (scope, key)
    where w.tenant_id = p_tenant and w.scope = charged.scope and w.key = charged.key;
  return next;
end
$$;

-- The outcome of a call: a failure counts, and opens at the threshold or when it was the probe; a success closes;
-- null gives the probe to the next.
create or replace function svc_leave_dial(
  p_tenant uuid, p_connection uuid, p_host_digest text, p_failed boolean, p_probe boolean, p_threshold int
)
returns void
language plpgsql
as $$
begin
  perform set_config('service.tenant_id', p_tenant::text, true), set_config('synchronous_commit', 'off', true);
  if p_failed is null then
    update egress_breakers set probing_since = null
      where p_probe and tenant_id = p_tenant and connection_id = p_connection and host_digest = p_host_digest;
  elsif not p_failed then
    delete from egress_breakers
      where tenant_id = p_tenant and connection_id = p_connection and host_digest = p_host_digest;
  else
    insert into egress_breakers as b (tenant_id, connection_id, host_digest, failures, opened_at)
      values (p_tenant, p_connection, p_host_digest, 1, case when p_threshold <= 1 then clock_timestamp() end)
      on conflict (tenant_id, connection_id, host_digest) do update
        set failures = least(b.failures + 1, 1000000),
            opened_at = case when p_probe or (b.opened_at is null and b.failures + 1 >= p_threshold)
                             then clock_timestamp() else b.opened_at end,
            probing_since = case when p_probe then null else b.probing_since end,
            updated_at = clock_timestamp();
  end if;
end
$$;

-- Counts of minutes long gone; called by who first uses a key of the organization.
create or replace function svc_forget_dials(p_tenant uuid)
returns void
language plpgsql
as $$
begin
  perform set_config('service.tenant_id', p_tenant::text, true), set_config('synchronous_commit', 'off', true);
  delete from egress_rate_windows where tenant_id = p_tenant and window_start < clock_timestamp() - interval '1 day';
  delete from egress_breakers where tenant_id = p_tenant and updated_at < clock_timestamp() - interval '1 day';
end
$$;
