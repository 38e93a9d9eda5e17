-- The append. A body is the RFC 8785 text of {actor, data, type, version}; its digest comes from the caller, or is
-- null when the database filled a value into the body (a deadline by its own clock), and is then taken here.

-- The event id is a UUID of version 8 made of the chain hash: unique, and checkable offline.
create or replace function svc_event_id(p_hash bytea)
returns uuid
language sql immutable parallel safe
as $$
  select encode(set_byte(set_byte(substring(p_hash from 1 for 16), 6, (get_byte(p_hash, 6) & 15) | 128),
                         8, (get_byte(p_hash, 8) & 63) | 128), 'hex')::uuid
$$;

-- Declared stable, so that it is inlined into the expression that calls it.
create or replace function svc_link(p_previous bytea, p_session uuid, p_seq bigint, p_at timestamptz, p_digest bytea)
returns bytea
language sql stable parallel safe
as $$
  select sha256(p_previous || uuid_send(p_session) || int8send(p_seq)
                || int8send((extract(epoch from p_at) * 1000000)::bigint) || p_digest)
$$;

-- Inserts the events behind a head that the caller has locked, and returns the new head.
create or replace function svc_chain(
  p_session uuid, p_seq bigint, p_hash bytea, p_bodies text[], p_digests text[], out seq bigint, out hash bytea,
  out bytes bigint
)
language plpgsql
as $$
declare
  tenant uuid := nullif(current_setting('svc.tenant', true), '')::uuid;
  doc jsonb;
  digest bytea;
  at timestamptz;
begin
  seq := p_seq; hash := p_hash; bytes := 0;
  for i in 1 .. coalesce(array_length(p_bodies, 1), 0) loop
    doc := p_bodies[i]::jsonb;
    digest := coalesce(decode(p_digests[i], 'hex'), sha256(convert_to(p_bodies[i], 'UTF8')));
    at := clock_timestamp();
    seq := seq + 1;
    hash := svc_link(hash, p_session, seq, at, digest);
    insert into events (tenant_id, session_id, seq, event_id, actor, type, schema_version, payload, body_digest, hash,
                        occurred_at)
    values (tenant, p_session, seq, svc_event_id(hash), doc ->> 'actor', doc ->> 'type', (doc ->> 'version')::int,
            doc - 'actor' - 'version', digest, hash, at);
    bytes := bytes + octet_length(p_bodies[i]);
  end loop;
end
$$;

-- Locks the head row, appends, and returns the last seq. Error SG404: no such run in this organization.
create or replace function svc_append(p_session uuid, p_bodies text[], p_digests text[])
returns bigint
language plpgsql
as $$
declare
  head session_heads;
  chained record;
begin
  select * into head from session_heads where session_id = p_session for no key update;
  if not found then raise exception 'run % not found', p_session using errcode = 'SG404'; end if;
  chained := svc_chain(p_session, head.seq, head.head_hash, p_bodies, p_digests);
  update session_heads set seq = chained.seq, head_hash = chained.hash, ledger_bytes = ledger_bytes + chained.bytes
    where session_id = p_session;
  return chained.seq;
end
$$;

-- One event, the common case of writers with nothing else in the transaction.
create or replace function svc_append_alone(p_tenant uuid, p_session uuid, p_bodies text[], p_digests text[])
returns bigint
language plpgsql
as $$
declare
  head record;
  doc jsonb;
  digest bytea;
  at timestamptz;
  linked bytea;
  ignored text := set_config('svc.tenant', p_tenant::text, true);
begin
  if array_length(p_bodies, 1) <> 1 or p_digests[1] is null then
    return svc_append(p_session, p_bodies, p_digests);
  end if;
  select seq, head_hash into head from session_heads where session_id = p_session for no key update;
  if not found then raise exception 'run % not found', p_session using errcode = 'SG404'; end if;
  doc := p_bodies[1]::jsonb;
  digest := decode(p_digests[1], 'hex');
  at := clock_timestamp();
  linked := svc_link(head.head_hash, p_session, head.seq + 1, at, digest);
  with appended as (
    insert into events (tenant_id, session_id, seq, event_id, actor, type, schema_version, payload, body_digest, hash,
                        occurred_at)
    values (p_tenant, p_session, head.seq + 1, svc_event_id(linked), doc ->> 'actor', doc ->> 'type',
            (doc ->> 'version')::int, doc - 'actor' - 'version', digest, linked, at)
  )
  update session_heads set seq = head.seq + 1, head_hash = linked,
    ledger_bytes = ledger_bytes + octet_length(p_bodies[1]) where session_id = p_session;
  return head.seq + 1;
end
$$;
