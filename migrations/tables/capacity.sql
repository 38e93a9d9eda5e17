-- Hosts, their uids, the processes that live, and the counters of admission. No organization owns a host, a uid or a
-- process: these tables are without row-level isolation and hold ids and numbers only.

-- harnesses: those that the host can run, as it says with every report.
create table hosts (
  id uuid primary key,
  name text not null,
  capacity int not null,
  last_seen_at timestamptz not null default now(),
  provider text not null default 'bubblewrap',
  harnesses text[] not null default '{builtin,replay}'
);
grant select, insert, update, delete on hosts to sandgate_app;
grant select on hosts to sandgate_system;

create table sandbox_uids (
  uid int not null,
  host_id uuid not null,
  session_id uuid not null,
  claimed_at timestamptz not null default now(),
  primary key (host_id, uid),
  unique (session_id)
);
grant select, insert, update, delete on sandbox_uids to sandgate_app;

create table process_leases (
  id uuid primary key,
  kind text not null,
  host_id uuid,
  lease_expires_at timestamptz not null
);
grant select, insert, update, delete on process_leases to sandgate_app;
grant select, delete on process_leases to sandgate_system;

-- One row for the deployment and one per organization, claimed together or not at all. turn: when the organization
-- was last admitted, by a count of all admissions. Only sandgate_system reads or writes them.
create table capacity_counters (
  scope text primary key,
  active int not null default 0 check (active >= 0),
  updated_at timestamptz not null default now(),
  last_admission bigint not null default 0
);
-- When an organization was last admitted, by a count of all admissions.
grant select, insert, update on capacity_counters to sandgate_system;

create sequence capacity_admissions;
grant usage on sequence capacity_admissions to sandgate_system;
