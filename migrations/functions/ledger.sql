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

-- Links events behind a head and moves it, in memory alone: whoever calls this writes both. All events are of one time,
-- which is not before that of the events that the head knows.
create or replace function svc_link_events(
  inout head session_heads, p_bodies text[], p_digests text[], p_at timestamptz, out linked svc_linked_event[]
)
language plpgsql
as $$
declare
  event svc_linked_event;
begin
  event.session_id := head.session_id;
  event.seq := head.seq;
  event.occurred_at := p_at;
  event.hash := head.head_hash;
  for i in 1 .. coalesce(cardinality(p_bodies), 0) loop
    event.seq := event.seq + 1;
    event.body := p_bodies[i];
    event.digest := coalesce(decode(p_digests[i], 'hex'), sha256(convert_to(p_bodies[i], 'UTF8')));
    event.hash := svc_link(event.hash, event.session_id, event.seq, p_at, event.digest);
    linked[i] := event;
    head.ledger_bytes := head.ledger_bytes + octet_length(p_bodies[i]);
  end loop;
  head.seq := event.seq;
  head.head_hash := event.hash;
end
$$;

-- Inserts the events behind a head that the caller has locked, and returns the head as the caller has to write it.
create or replace function svc_chain(p_head session_heads, p_bodies text[], p_digests text[])
returns session_heads
language plpgsql
as $$
declare
  step record;
begin
  step := svc_link_events(p_head, p_bodies, p_digests, clock_timestamp());
  insert into events (tenant_id, session_id, seq, event_id, actor, type, schema_version, payload, body_digest, hash,
                      occurred_at)
    select p_head.tenant_id, e.session_id, e.seq, svc_event_id(e.hash), d.doc ->> 'actor', d.doc ->> 'type',
           (d.doc ->> 'version')::int, d.doc - 'actor' - 'version', e.digest, e.hash, e.occurred_at
      from unnest(step.linked) as e cross join lateral (select e.body::jsonb as doc offset 0) as d;
  return step.head;
end
$$;

-- Locks the head row, appends, and returns the last seq. Error SG404: no such run in this organization.
create or replace function svc_append(p_session uuid, p_bodies text[], p_digests text[])
returns bigint
language plpgsql
as $$
declare
  head session_heads;
begin
  select * into head from session_heads where session_id = p_session for no key update;
  if not found then raise exception 'run % not found', p_session using errcode = 'SG404'; end if;
  head := svc_chain(head, p_bodies, p_digests);
  update session_heads set seq = head.seq, head_hash = head.head_hash, ledger_bytes = head.ledger_bytes
    where session_id = p_session;
  return head.seq;
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
  ignored text := set_config('service.tenant_id', p_tenant::text, true);
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
