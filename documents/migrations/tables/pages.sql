-- What parsers read: pages, tables, and the chunks in which search looks.

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

-- A table may go on over several pages. `content` has header, rows and boxes as `src/domain/page-model.ts` writes them.
create table document_tables (
  org_id uuid not null references orgs (id),
  parse_id uuid not null,
  table_number int not null check (table_number >= 1),
  first_page int not null,
  last_page int not null check (last_page >= first_page),
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

-- `chars_from` and `chars_to` are places in the page's text. `tsv` has the stems of the language, `tsv_simple` words, numbers and codes as
-- they are written and as they are spelled otherwise.
create table chunks (
  org_id uuid not null references orgs (id),
  project_id uuid not null,
  parse_id uuid not null,
  chunk_number int not null check (chunk_number >= 1),
  page_number int not null,
  chars_from int not null,
  chars_to int not null check (chars_to >= chars_from),
  cell_range text,
  language text not null,
  body text not null,
  tsv tsvector not null,
  tsv_simple tsvector not null,
  primary key (parse_id, chunk_number),
  foreign key (org_id, parse_id) references parses (org_id, id) on delete cascade
);
create index chunks_tsv on chunks using gin (tsv);
create index chunks_tsv_simple on chunks using gin (tsv_simple);
alter table chunks enable row level security, force row level security;
create policy org_isolation on chunks
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on chunks to docsvc_system using (true) with check (true);
grant select, delete on chunks to docsvc_system;
grant select, insert, update, delete on chunks to docsvc_app;

-- Words of a project with the number of chunks that have them; unknown words of a query are repaired against them.
create table lexicon (
  org_id uuid not null references orgs (id),
  project_id uuid not null,
  word text not null,
  chunks int not null,
  primary key (project_id, word)
);
alter table lexicon enable row level security, force row level security;
create policy org_isolation on lexicon
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on lexicon to docsvc_system using (true) with check (true);
grant select, update, delete on lexicon to docsvc_system;
grant select, insert, update, delete on lexicon to docsvc_app;
