-- What belongs to no organization.

-- The files of functions that ran last, by checksum.
create table schema_functions (
  file text primary key,
  checksum text not null,
  version text not null,
  applied_at timestamptz not null default now()
);
