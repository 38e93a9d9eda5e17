-- What parsers read: pages and tables.

-- `words_key` says where in the blobs of the parse the words of the page and their boxes are.
create table pages (
  org_id uuid not null references orgs (id),
  parse_id uuid not null,
  page_number int not null check (page_number >= 1),
  width double precision not null,
  height double precision not null,
  unit text not null check (unit in ('pt', 'px', 'cell')),
  rotation int not null default 0 check (rotation in (0, 90, 180, 270)),
  label text,
  sheet_name text,
  text text not null,
  source text not null check (source in ('text_layer', 'ocr', 'mixed', 'cell')),
  ocr_confidence real,
  words_key text,
  table_count int not null default 0,
  primary key (parse_id, page_number),
  foreign key (org_id, parse_id) references parses (org_id, id) on delete cascade
);
alter table pages enable row level security, force row level security;
create policy org_isolation on pages
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on pages to docsvc_system using (true) with check (true);
grant select, delete on pages to docsvc_system;
grant select, insert, update, delete on pages to docsvc_app;

-- Pages of a parse that could not be read, each with its warning; what is settled has them in `parses` as well.
create table page_failures (
  org_id uuid not null references orgs (id),
  parse_id uuid not null,
  page_number int not null check (page_number >= 1),
  warning jsonb not null,
  primary key (parse_id, page_number),
  foreign key (org_id, parse_id) references parses (org_id, id) on delete cascade
);
alter table page_failures enable row level security, force row level security;
create policy org_isolation on page_failures
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on page_failures to docsvc_system using (true) with check (true);
grant select, delete on page_failures to docsvc_system;
grant select, insert, update, delete on page_failures to docsvc_app;

-- A table may go on over several pages. `content` has header, rows and boxes as `src/domain/page-model.ts` writes them,
-- `size_bytes` is what it takes as JSON, empty places of its grid included.
create table document_tables (
  org_id uuid not null references orgs (id),
  parse_id uuid not null,
  table_number int not null check (table_number >= 1),
  first_page int not null,
  last_page int not null check (last_page >= first_page),
  size_bytes int not null check (size_bytes >= 0),
  content jsonb not null,
  primary key (parse_id, table_number),
  foreign key (org_id, parse_id) references parses (org_id, id) on delete cascade
);
alter table document_tables enable row level security, force row level security;
create policy org_isolation on document_tables
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on document_tables to docsvc_system using (true) with check (true);
grant select, delete on document_tables to docsvc_system;
grant select, insert, update, delete on document_tables to docsvc_app;
