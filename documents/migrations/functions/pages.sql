-- Pages, tables and chunks as parsers wrote them. What is written twice is the same, so a step may be repeated.

-- False when the parse is not being made any more.
create or replace function docsvc_write_pages(p_version uuid, p_attempt int, p_parse uuid, p_pages jsonb)
returns boolean
language plpgsql
as $$
begin
  perform 1 from parses where id = p_parse and status = 'running';
  if not found then return false; end if;
  insert into pages (
    org_id, parse_id, page_number, width, height, unit, rotation, label, sheet_name, text, source, ocr_confidence, words_key, table_count
  )
    select r.org_id, r.id, p.page_number, p.width, p.height, p.unit, p.rotation, p.label, p.sheet_name, p.text, p.source, p.ocr_confidence,
           p.words_key, p.table_count
      from parses r, jsonb_to_recordset(p_pages) as p (
        page_number int, width float8, height float8, unit text, rotation int, label text, sheet_name text, text text, source text,
        ocr_confidence real, words_key text, table_count int
      )
     where r.id = p_parse
    on conflict (parse_id, page_number) do update set
      width = excluded.width, height = excluded.height, unit = excluded.unit, rotation = excluded.rotation, label = excluded.label,
      sheet_name = excluded.sheet_name, text = excluded.text, source = excluded.source, ocr_confidence = excluded.ocr_confidence,
      words_key = excluded.words_key, table_count = excluded.table_count;
  perform docsvc_count_pages_done(p_version, p_attempt, p_parse);
  return true;
end
$$;

create or replace function docsvc_write_tables(p_parse uuid, p_tables jsonb)
returns void
language sql
as $$
  insert into document_tables (org_id, parse_id, table_number, first_page, last_page, content)
    select r.org_id, r.id, t.table_number, t.first_page, t.last_page, t.content
      from parses r, jsonb_to_recordset(p_tables) as t (table_number int, first_page int, last_page int, content jsonb)
     where r.id = p_parse and r.status = 'running'
    on conflict (parse_id, table_number) do update set
      first_page = excluded.first_page, last_page = excluded.last_page, content = excluded.content
$$;

-- The dictionary for a language by its ISO 639-1 code; `simple` where PostgreSQL has none.
create or replace function docsvc_search_configuration(p_language text)
returns regconfig
language sql immutable
as $$
  select case p_language
    when 'ar' then 'arabic' when 'hy' then 'armenian' when 'eu' then 'basque' when 'ca' then 'catalan' when 'da' then 'danish'
    when 'nl' then 'dutch' when 'en' then 'english' when 'fi' then 'finnish' when 'fr' then 'french' when 'de' then 'german'
    when 'el' then 'greek' when 'hi' then 'hindi' when 'hu' then 'hungarian' when 'id' then 'indonesian' when 'ga' then 'irish'
    when 'it' then 'italian' when 'lt' then 'lithuanian' when 'ne' then 'nepali' when 'no' then 'norwegian' when 'pt' then 'portuguese'
    when 'ro' then 'romanian' when 'ru' then 'russian' when 'sr' then 'serbian' when 'es' then 'spanish' when 'sv' then 'swedish'
    when 'ta' then 'tamil' when 'tr' then 'turkish' when 'yi' then 'yiddish' else 'simple' end::regconfig
$$;

-- `spelled` has the words, numbers and codes of the chunk as they are spelled otherwise.
create or replace function docsvc_write_chunks(p_parse uuid, p_chunks jsonb)
returns void
language sql
as $$
  insert into chunks (
    org_id, project_id, parse_id, chunk_number, page_number, chars_from, chars_to, cell_range, language, body, tsv, tsv_simple
  )
    select r.org_id, r.project_id, r.id, c.chunk_number, c.page_number, c.chars_from, c.chars_to, c.cell_range, c.language, c.body,
           to_tsvector(docsvc_search_configuration(c.language), c.body), to_tsvector('simple', c.body || ' ' || c.spelled)
      from parses r, jsonb_to_recordset(p_chunks) as c (
        chunk_number int, page_number int, chars_from int, chars_to int, cell_range text, language text, body text, spelled text
      )
     where r.id = p_parse and r.status = 'running'
    on conflict (parse_id, chunk_number) do nothing
$$;

-- Adds the words of a parse to the lexicon of its project, or takes them away. In the order of words, so that two of them never wait for each other.
create or replace function docsvc_count_words(p_parse uuid, p_sign int)
returns void
language plpgsql
as $$
begin
  insert into lexicon (org_id, project_id, word, chunks)
    select r.org_id, r.project_id, w.word, p_sign * w.chunks
      from parses r, (
        select word, count(*)::int as chunks from chunks c, unnest(tsvector_to_array(c.tsv_simple)) as word
         where c.parse_id = p_parse and word ~ '[[:alpha:]]' and length(word) between 3 and 40
         group by word
      ) w
     where r.id = p_parse
     order by w.word
    on conflict (project_id, word) do update set chunks = lexicon.chunks + excluded.chunks;
  if p_sign < 0 then
    delete from lexicon l using parses r where r.id = p_parse and l.project_id = r.project_id and l.chunks <= 0;
  end if;
end
$$;
