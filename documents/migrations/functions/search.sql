-- Vectors, lexicon and the two tiers of search.

-- The dictionary for a language by its ISO 639-1 code; `simple` where PostgreSQL has none.
create or replace function docsvc_search_configuration(p_language text)
returns regconfig
language sql immutable
as $$
  select case p_language
    when 'ar' then 'arabic' when 'hy' then 'armenian' when 'eu' then 'basque' when 'ca' then 'catalan'
    when 'da' then 'danish' when 'nl' then 'dutch' when 'en' then 'english' when 'fi' then 'finnish'
    when 'fr' then 'french' when 'de' then 'german' when 'el' then 'greek' when 'hi' then 'hindi'
    when 'hu' then 'hungarian' when 'id' then 'indonesian' when 'ga' then 'irish' when 'it' then 'italian'
    when 'lt' then 'lithuanian' when 'ne' then 'nepali' when 'no' then 'norwegian' when 'pt' then 'portuguese'
    when 'ro' then 'romanian' when 'ru' then 'russian' when 'sr' then 'serbian' when 'es' then 'spanish'
    when 'sv' then 'swedish' when 'ta' then 'tamil' when 'tr' then 'turkish' when 'yi' then 'yiddish'
    else 'simple' end::regconfig
$$;

-- `words` are the words of a chunk in their order, with `x` in the place of what has no stem; `lexemes` is a vector of
-- the rest. Both count places alike, so the vector is their sum.
create or replace function docsvc_write_chunks(p_parse uuid, p_chunks jsonb)
returns void
language sql
as $$
  insert into chunks (
    org_id, project_id, parse_id, chunk_number, page_number, chars_from, chars_to, cell_range, language, body, tsv
  )
    select
      r.org_id, r.project_id, r.id, c."chunkNumber", c."pageNumber", c."charsFrom", c."charsTo", c."cellRange",
      c.language, c.body,
      concat(ts_delete(to_tsvector(docsvc_search_configuration(c.language), c.words), 'x'), ' ', c.lexemes)::tsvector
      from parses r, jsonb_to_recordset(p_chunks) as c (
        "chunkNumber" int, "pageNumber" int, "charsFrom" int, "charsTo" int, "cellRange" text, language text,
        body text, words text, lexemes text
      )
     where r.id = p_parse and r.status = 'running'
    on conflict (parse_id, chunk_number) do nothing
$$;

-- Adds the lexemes of a parse to the lexicon of its project, or takes them away. In their order, so that two of these
-- never wait for each other in a circle.
create or replace function docsvc_count_words(p_parse uuid, p_sign int)
returns void
language plpgsql
as $$
begin
  insert into lexicon (org_id, project_id, lexeme, chunks)
    select r.org_id, r.project_id, w.lexeme, p_sign * w.chunks
      from parses r, (
        select lexeme, count(*)::int as chunks
          from chunks c, unnest(tsvector_to_array(c.tsv) || ('!' || c.language)) as lexeme
         where c.parse_id = p_parse
         group by lexeme
      ) w
     where r.id = p_parse
     order by w.lexeme
    on conflict (project_id, lexeme) do update set chunks = lexicon.chunks + excluded.chunks;
  if p_sign < 0 then
    delete from lexicon l using parses r where r.id = p_parse and l.project_id = r.project_id and l.chunks <= 0;
  end if;
end
$$;

-- Across organizations as far as row-level policy goes: it would keep text search and trigrams from their indexes,
-- because their operators are not declared leakproof. Each function reads the organization from the transaction and
-- has it in every query.
grant create on schema public to docsvc_system;
set local role docsvc_system;

create or replace function docsvc_organization()
returns uuid
language sql stable parallel safe
as $$ select nullif(current_setting('docsvc.org_id', true), '')::uuid $$;

-- What the lexicon knows of lexemes that stand in a query.
create or replace function docsvc_count_lexemes(p_project uuid, p_lexemes text[])
returns table (lexeme text, chunks int)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select l.lexeme, l.chunks from lexicon l
   where l.org_id = docsvc_organization() and l.project_id = p_project and l.lexeme = any (p_lexemes) and l.chunks > 0
$$;

-- The stems of words in the languages of a project; `stops` is the share of its chunks in whose language the word says
-- nothing. The row without a word has the number of chunks.
create or replace function docsvc_stem_words(p_project uuid, p_words text[])
returns table (word text, stems text[], stops real, chunks int)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  with languages as materialized (
    select docsvc_search_configuration(substr(l.lexeme, 2)) as configuration, l.chunks from lexicon l
     where l.org_id = docsvc_organization() and l.project_id = p_project
       and l.lexeme >= '!' and l.lexeme < '"' and l.chunks > 0
  ), stemmed as (
    select w.word, t.chunks, tsvector_to_array(to_tsvector(t.configuration, w.word)) as stems
      from unnest(p_words) as w (word) cross join languages t
  )
  select null, null::text[], null::real, coalesce(sum(t.chunks), 0)::int from languages t
  union all
  select s.word, coalesce(
           (select array_agg(distinct e.stem) from stemmed o, unnest(o.stems) as e (stem) where o.word = s.word), '{}'),
         (coalesce(sum(s.chunks) filter (where s.stems = '{}'), 0)::real / sum(s.chunks))::real, null
    from stemmed s group by s.word
$$;

-- Lexemes of a project that resemble words which it does not have.
create or replace function docsvc_resemble_words(p_project uuid, p_words text[])
returns table (word text, lexeme text, similarity real, chunks int)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
set pg_trgm.similarity_threshold = '0.3'
as $$
  select w.word, n.lexeme, n.similarity, n.chunks
    from unnest(p_words) as w (word)
    cross join lateral (
      select l.lexeme, similarity(l.lexeme, w.word) as similarity, l.chunks from lexicon l
       where l.org_id = docsvc_organization() and l.project_id = p_project
         and l.lexeme % w.word and l.lexeme !~ '^[#@!]'
         and l.chunks > 0 and abs(length(l.lexeme) - length(w.word)) <= 3
       order by 2 desc, l.chunks desc limit 12
    ) n
$$;

-- One tier: the chunks that match, at most p_most of them, each with the sum of the weights of the terms that it has.
-- `offset 0` holds the order, whatever the planner expects of words that stand together: chunks by the index of
-- vectors, then the version of each.
create or replace function docsvc_match_chunks(
  p_project uuid, p_query tsquery, p_terms tsquery[], p_weights real[], p_most int, p_limit int, p_all_versions boolean,
  p_documents uuid[], p_labels text[], p_kinds text[], p_pages int[], p_updated_after timestamptz
)
returns table (
  document_id uuid, document_name text, version_id uuid, version int, parse_id uuid, chunk_number int,
  page_number int, rank real
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select f.document_id, f.name, f.version_id, f.version, f.parse_id, f.chunk_number, f.page_number, r.rank
    from (
      select v.document_id, v.name, v.version_id, v.version, c.parse_id, c.chunk_number, c.page_number, c.tsv
        from (
          select x.org_id, x.parse_id, x.chunk_number, x.page_number, x.tsv from chunks x
           where x.org_id = docsvc_organization() and x.project_id = p_project and x.tsv @@ p_query
             and (p_pages is null or x.page_number = any (p_pages))
          offset 0
        ) c
        cross join lateral (
          select d.id as document_id, d.name, w.id as version_id, w.version
            from document_versions w
            join documents d on d.id = w.document_id and d.org_id = w.org_id
           where w.parse_id = c.parse_id and w.org_id = c.org_id
             and d.deleted_at is null and d.project_id = p_project
             and (p_all_versions or d.searchable_version_id = w.id)
             and (p_documents is null or d.id = any (p_documents))
             and (p_labels is null or d.labels && p_labels)
             and (p_kinds is null or d.kind = any (p_kinds))
             and (p_updated_after is null or d.updated_at > p_updated_after)
          offset 0
        ) v
       limit p_most
    ) f
    cross join lateral (
      select coalesce(sum(t.weight * (0.7 + 0.3 * ts_rank('{1,1,1,1}', f.tsv, t.term))), 0)::real as rank
        from unnest(p_terms, p_weights) as t (term, weight) where f.tsv @@ t.term
    ) r
   order by r.rank desc, f.document_id, f.version_id, f.chunk_number
   limit p_limit
$$;

-- What is shown of chunks: their text, which of a table is that of its page, and where it stands. Between the cells of
-- a table others may stand, as many as there are: no more is read than the longest chunk has.
create or replace function docsvc_read_chunks(p_parses uuid[], p_chunks int[])
returns table (
  parse_id uuid, chunk_number int, chars_from int, body text, cell_range text, label text, width float8, height float8,
  unit text, rotation int, sheet_name text, source text, words_key text
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select c.parse_id, c.chunk_number, c.chars_from,
         case when c.chars_to > c.chars_from and c.chars_to - c.chars_from <> length(c.body)
           then substr(p.text, c.chars_from + 1, least(c.chars_to - c.chars_from, 16384)) else c.body end,
         c.cell_range, p.label, p.width, p.height, p.unit, p.rotation, p.sheet_name, p.source, p.words_key
    from unnest(p_parses, p_chunks) as a (parse_id, chunk_number)
    join chunks c on c.parse_id = a.parse_id and c.chunk_number = a.chunk_number
    join pages p on p.parse_id = c.parse_id and p.page_number = c.page_number
   where c.org_id = docsvc_organization() and p.org_id = c.org_id
$$;

revoke all on function
  docsvc_organization, docsvc_count_lexemes, docsvc_stem_words, docsvc_resemble_words, docsvc_match_chunks,
  docsvc_read_chunks
  from public;
grant execute on function
  docsvc_organization, docsvc_count_lexemes, docsvc_stem_words, docsvc_resemble_words, docsvc_match_chunks,
  docsvc_read_chunks
  to docsvc_app;
reset role;
revoke create on schema public from docsvc_system;
