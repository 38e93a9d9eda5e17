-- What is sealed, and with which keys: for the checks of the boot.

-- Every bytea column whose name ends in sealed, beside its companion that ends in key_version. A table that gains one
-- needs no change here, only the select right of sandgate_system, without which the count fails and the boot stops.
create or replace function svc_sealed_columns()
returns table (table_name text, sealed text, key_version text)
language sql stable set search_path = pg_catalog, public, pg_temp
as $$
  select c.relname::text, s.attname::text, v.attname::text
    from pg_class c
    join pg_attribute s on s.attrelid = c.oid and s.atttypid = 'bytea'::regtype and s.attname ~ '(^|_)sealed$'
                       and not s.attisdropped
    join pg_attribute v on v.attrelid = c.oid and not v.attisdropped
                       and v.attname = regexp_replace(s.attname, 'sealed$', 'key_version')
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
   order by 1, 2
$$;
revoke all on function svc_sealed_columns from public;
grant execute on function svc_sealed_columns to sandgate_app, sandgate_system;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- What is sealed under which version. At most 1,000 rows of a version are counted per column.
create or replace function svc_sealed_rows()
returns table (place text, key_version int, rows bigint)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  col record;
  version int;
begin
  for col in select * from svc_sealed_columns() loop
    for version in 1..2 loop
      return query execute format(
        'select %L, %s, count(*) from (select from %I where %I = %s and %I is not null limit 1000) counted'
          ' having count(*) > 0',
        col.table_name || '.' || col.sealed, version, col.table_name, col.key_version, version, col.sealed);
    end loop;
  end loop;
end
$$;

create or replace function svc_list_keks()
returns table (kek_id text, organization_id uuid, version int, wrapped_dek bytea)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select distinct on (d.kek_id) d.kek_id, d.tenant_id, d.version, d.wrapped_dek from tenant_deks d
  order by d.kek_id, d.created_at
$$;

revoke all on function svc_sealed_rows, svc_list_keks from public;
grant execute on function svc_sealed_rows, svc_list_keks to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
