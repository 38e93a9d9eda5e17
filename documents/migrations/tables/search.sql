-- The chunks in which search looks, and the words of each project.

-- Both are trusted: the owner of the database may make them. The first compares words by their trigrams, the second
-- lets one index hold projects and vectors, so that a query reads its own project's part alone.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- `chars_from` and `chars_to` are places in the page's text. `tsv` has the stems of the language, words as they are
-- written, `#1234.5` for numbers and `@20210304` for dates however they are spelled.
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
  primary key (parse_id, chunk_number),
  foreign key (org_id, parse_id) references parses (org_id, id) on delete cascade
);
-- Ranking reads the vectors of thousands of chunks: they lie in their rows, as they are.
alter table chunks alter column tsv set storage external;
alter table chunks set (toast_tuple_target = 8160);
create index chunks_tsv on chunks using gin (project_id, tsv);
alter table chunks enable row level security, force row level security;
create policy org_isolation on chunks
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on chunks to docsvc_system using (true) with check (true);
grant select, delete on chunks to docsvc_system;
grant select, insert, update, delete on chunks to docsvc_app;

-- Lexemes of a project with the number of chunks that have them: it weighs the words of a query, and unknown ones are
-- repaired against it. `!en` stands for the chunks in English.
create table lexicon (
  org_id uuid not null references orgs (id),
  project_id uuid not null,
  lexeme text not null,
  chunks int not null,
  primary key (project_id, lexeme)
);
create index lexicon_trigrams on lexicon using gin (project_id, lexeme gin_trgm_ops) where lexeme !~ '^[#@!]';
alter table lexicon enable row level security, force row level security;
create policy org_isolation on lexicon
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on lexicon to docsvc_system using (true) with check (true);
grant select, update, delete on lexicon to docsvc_system;
grant select, insert, update, delete on lexicon to docsvc_app;
