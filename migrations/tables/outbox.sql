-- Wake-ups for workflows, written in the transaction that causes them, so that none is lost.

-- subject_id: the run that is woken, or the stored webhook of the kind webhook_stored. A wake-up that the driver
-- refuses is retried with growing waits, so that it never blocks the others.
create table driver_outbox (
  id bigint generated always as identity primary key,
  tenant_id uuid not null,
  subject_id uuid not null,
  kind text not null check (kind in (
    'created', 'finalization_requested', 'approval_requested', 'approval_decided', 'capacity', 'deliveries_due',
    'webhook_stored'
  )),
  created_at timestamptz not null default clock_timestamp(),
  attempts int not null default 0,
  retry_at timestamptz
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
alter table driver_outbox enable row level security, force row level security;
create policy tenant_isolation on driver_outbox
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on driver_outbox to sandgate_system using (true) with check (true);
grant select, insert, delete on driver_outbox to sandgate_app;
grant select, insert, update, delete on driver_outbox to sandgate_system;
