-- Pages, tables and chunks as parsers wrote them. What is written twice is the same, so a step may be repeated.

-- False when the parse is not being made any more.
create or replace function docsvc_write_pages(p_version uuid, p_attempt int, p_parse uuid, p_pages jsonb)
returns boolean
language plpgsql
as $$
declare
  added int;
begin
  perform 1 from parses where id = p_parse and status = 'running';
  if not found then return false; end if;
  with written as (insert into pages (
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
      words_key = excluded.words_key, table_count = excluded.table_count
    returning page_number, xmax = 0 as is_new
  )
  -- Each page is looked up for itself: joined, all failures of the parse would be read for one page.
  select count(*) filter (where w.is_new and (
      select f.page_number from page_failures f where f.parse_id = p_parse and f.page_number = w.page_number
    ) is null) into added from written w;
  if added > 0 then perform docsvc_add_pages_done(p_version, p_attempt, added); end if;
  return true;
end
$$;

create or replace function docsvc_write_tables(p_parse uuid, p_tables jsonb)
returns void
language sql
as $$
  insert into document_tables (org_id, parse_id, table_number, first_page, last_page, size_bytes, content)
    select r.org_id, r.id, t.table_number, t.first_page, t.last_page, t.size_bytes, t.content
      from parses r, jsonb_to_recordset(p_tables) as t (
        table_number int, first_page int, last_page int, size_bytes int, content jsonb
      )
     where r.id = p_parse and r.status = 'running'
    on conflict (parse_id, table_number) do update set
      first_page = excluded.first_page, last_page = excluded.last_page, size_bytes = excluded.size_bytes,
      content = excluded.content
$$;

-- Pages behind one of them in their order, at most p_most and as many as p_bytes of text have room for, but one at
-- least. `has_next` of the last one says whether others follow.
create or replace function docsvc_list_pages(p_parse uuid, p_after int, p_most int, p_bytes bigint)
returns table (
  org_id uuid, parse_id uuid, page_number int, width float8, height float8, unit text, rotation int, label text,
  sheet_name text, text text, source text, ocr_confidence real, words_key text, table_count int, has_next boolean
)
language sql stable
as $$
  select p.org_id, p.parse_id, p.page_number, p.width, p.height, p.unit, p.rotation, p.label, p.sheet_name, p.text,
      p.source, p.ocr_confidence, p.words_key, p.table_count, n.has_next
    from (
      select page_number, size_bytes, row_number() over list as place, sum(size_bytes) over list as upto,
          lead(page_number) over list is not null as has_next
        from (
          select page_number, octet_length(text)::bigint as size_bytes from pages
            where parse_id = p_parse and page_number > p_after order by page_number limit p_most + 1
        ) s window list as (order by page_number)
    ) n
    join pages p on p.parse_id = p_parse and p.page_number = n.page_number
    where n.place <= p_most and (n.upto <= p_bytes or n.place = 1)
    order by p.page_number
$$;

-- The same of tables, of all or of those on one page.
create or replace function docsvc_list_tables(p_parse uuid, p_after int, p_page int, p_most int, p_bytes bigint)
returns table (table_number int, content jsonb, has_next boolean)
language sql stable
as $$
  select t.table_number, t.content, n.has_next
    from (
      select table_number, row_number() over list as place, sum(size_bytes) over list as upto,
          lead(table_number) over list is not null as has_next
        from (
          select table_number, size_bytes::bigint from document_tables
            where parse_id = p_parse and table_number > p_after
              and (p_page is null or p_page between first_page and last_page)
            order by table_number limit p_most + 1
        ) s window list as (order by table_number)
    ) n
    join document_tables t on t.parse_id = p_parse and t.table_number = n.table_number
    where n.place <= p_most and (n.upto <= p_bytes or n.place = 1)
    order by t.table_number
$$;
