-- What the deployment knows of its own schema. Only the migrating login reads or writes it.

-- The function files as they were last run: a file is run again when its checksum is another one, and not by a version
-- that is older than the one that ran it.
create table schema_functions (
  file text primary key,
  checksum text not null,
  version text not null,
  applied_at timestamptz not null default now()
);
