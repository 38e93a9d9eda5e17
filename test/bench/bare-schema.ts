import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';

/**
 * What a plain application would write, in a schema of its own: `gate` locks a row, inserts, hashes and appends two events
 * under forced row-level isolation; `plain_events` has neither isolation nor chain nor a row to lock;
 * `verdicts`, `inputs` and `claims` hold what a broker keeps of a call; `webhooks` what a receiver was sent.
 */
const SCHEMA = `
  drop schema if exists bare cascade;
  create schema bare;
  create table bare.heads (id uuid primary key, tenant_id uuid not null, seq bigint not null default 0,
    hash bytea not null default '\\x');
  create table bare.calls (id bigint generated always as identity primary key, tenant_id uuid not null, session uuid not null,
    call text not null, tool text not null, input jsonb not null, unique (session, call));
  create table bare.events (tenant_id uuid not null, session uuid not null, seq bigint not null, payload jsonb not null,
    hash bytea not null, at timestamptz not null default clock_timestamp(), primary key (session, seq));
  create table bare.plain_events (session uuid not null, seq bigint not null, event_id uuid not null, actor text not null,
    type text not null, schema_version int not null, payload jsonb not null, occurred_at timestamptz not null,
    recorded_at timestamptz not null default clock_timestamp(), primary key (session, seq));
  create table bare.verdicts (id uuid primary key);
  create table bare.inputs (id uuid primary key, input jsonb not null);
  create table bare.claims (id uuid primary key, answer jsonb);
  create table bare.webhooks (id text primary key, payload json not null);
  create table bare.decisions (id uuid primary key, at timestamptz not null default clock_timestamp());
  alter table bare.heads enable row level security; alter table bare.heads force row level security;
  alter table bare.calls enable row level security; alter table bare.calls force row level security;
  alter table bare.events enable row level security; alter table bare.events force row level security;
  create policy own on bare.heads using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
  create policy own on bare.calls using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
  create policy own on bare.events using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
  create function bare.gate(p_tenant uuid, p_session uuid, p_call text, p_tool text, p_input jsonb) returns bigint
  language plpgsql as $$
  declare
    head bare.heads;
  begin
    perform set_config('service.tenant_id', p_tenant::text, true);
    select * into head from bare.heads where id = p_session for no key update;
    insert into bare.calls (tenant_id, session, call, tool, input) values (p_tenant, p_session, p_call, p_tool, p_input);
    for i in 1 .. 2 loop
      head.seq := head.seq + 1;
      head.hash := sha256(head.hash || int8send(head.seq) || convert_to(p_input::text, 'UTF8'));
      insert into bare.events (tenant_id, session, seq, payload, hash)
        values (p_tenant, p_session, head.seq, jsonb_build_object('call', p_call, 'tool', p_tool, 'input', p_input), head.hash);
    end loop;
    update bare.heads set seq = head.seq, hash = head.hash where id = p_session;
    return head.seq;
  end $$;
  grant usage on schema bare to sandgate_app;
  grant select, insert, update on all tables in schema bare to sandgate_app;`;

export interface BareSchema {
  tenant: string;
  sessions: string[];
}

export async function createBareSchema(owner: pg.Pool, sessions: number): Promise<BareSchema> {
  await owner.query(SCHEMA);
  const [tenant, ids] = [uuidv7(), Array.from({ length: sessions }, () => uuidv7())];
  await owner.query('insert into bare.heads (id, tenant_id) select id, $1 from unnest($2::uuid[]) as id', [
    tenant,
    ids,
  ]);
  return { tenant, sessions: ids };
}
