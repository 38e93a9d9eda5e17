-- Workflows that are to be started or woken, written with the rows that they are about.

-- subject_id: the version that is read, the delivery that is made, or the run of extraction. workflow_name: what the
-- workflow is called by, where that is not the subject. A wake-up that the driver refuses is retried
-- with growing waits, so that it never blocks the others.
create table driver_outbox (
  id bigint generated always as identity primary key,
  org_id uuid not null references orgs (id),
  kind text not null check (kind in ('ingest', 'deliver', 'extract')),
  subject_id uuid not null,
  workflow_name text,
  created_at timestamptz not null default clock_timestamp(),
  attempts int not null default 0,
  retry_at timestamptz
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create index driver_outbox_age on driver_outbox (created_at);
alter table driver_outbox enable row level security, force row level security;
create policy org_isolation on driver_outbox
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on driver_outbox to docsvc_system using (true) with check (true);
grant select, insert, update, delete on driver_outbox to docsvc_system;
grant select, insert, delete on driver_outbox to docsvc_app;
