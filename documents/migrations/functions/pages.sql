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
    org_id, parse_id, page_number, width, height, unit, rotation, label, sheet_name, text, source, ocr_confidence,
      words_key, table_count
  )
    select r.org_id, r.id, p.page_number, p.width, p.height, p.unit, p.rotation, p.label, p.sheet_name, p.text,
      p.source, p.ocr_confidence,
           p.words_key, p.table_count
      from parses r, jsonb_to_recordset(p_pages) as p (
        page_number int, width float8, height float8, unit text, rotation int, label text, sheet_name text, text text,
          source text,
        ocr_confidence real, words_key text, table_count int
      )
     where r.id = p_parse
    on conflict (parse_id, page_number) do update set
      width = excluded.width, height = excluded.height, unit = excluded.unit, rotation = excluded.rotation,
        label = excluded.label,
      sheet_name = excluded.sheet_name, text = excluded.text, source = excluded.source,
        ocr_confidence = excluded.ocr_confidence,
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
