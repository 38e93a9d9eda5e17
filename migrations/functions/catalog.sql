-- Connectors as an organization sees them, and their import from foreign catalogs.

-- Row-level isolation leaves the organization's rows and the global ones; of two with one slug the organization's own
-- is visible. With each: the newest bundle of its name, and the connection that the user who looks would use (null for
-- the operator: personal connections of others stay out).
create or replace function svc_list_connectors(p_user uuid, p_slug text)
returns table (connector connector_catalog, bundle json, connection json)
language sql stable
as $$
  select c,
         (select json_build_object('id', b.id, 'name', b.name, 'version', b.version)
            from capability_bundles b where b.name = c.slug order by b.version desc limit 1),
         (select json_build_object('id', i.id, 'status', i.status, 'auth_kind', i.auth_kind)
            from integration_connections i
            where i.provider = 'mcp_http' and i.status <> 'revoked' and i.metadata ->> 'base_url' = c.url
              and (i.owner_type = 'organization' or i.owner_user_id = p_user)
            order by array_position(array['active', 'error'], i.status), i.created_at desc, i.id desc limit 1)
    from connector_catalog c
    where c.disabled_at is null and (p_slug is null or c.slug = p_slug)
      and (c.tenant_id is not null or not exists (select 1 from connector_catalog own
        where own.tenant_id is not null and own.slug = c.slug and own.disabled_at is null))
    order by array_position(array['verified', 'community'], c.tier), lower(c.name), c.slug
$$;

-- Slugs that are taken of those that begin with a stem.
create or replace function svc_list_taken_slugs(p_stem text)
returns setof text
language sql stable
as $$
  select slug from connector_catalog where slug = p_stem or starts_with(slug, p_stem || '-')
$$;

-- Adds or refreshes a global entry of a foreign catalog: whether it is new; null for a slug that a curated row has.
create or replace function svc_import_connector(
  p_id uuid, p_slug text, p_name text, p_description text, p_categories text[], p_egress text[], p_url text,
  p_transport text, p_provenance jsonb
)
returns boolean
language sql
as $$
  insert into connector_catalog as c
    (id, slug, name, description, categories, egress, tier, url, transport, auth_mode, provenance)
  values (p_id, p_slug, p_name, p_description, p_categories, p_egress, 'community', p_url, p_transport, 'none',
          p_provenance || jsonb_build_object(
            'imported_at', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
  on conflict (slug) where tenant_id is null do update
    set name = excluded.name, description = excluded.description, categories = excluded.categories,
        egress = excluded.egress, url = excluded.url, transport = excluded.transport,
        provenance = excluded.provenance, updated_at = now()
    where c.provenance ->> 'source' in ('mcp-registry', 'open-connector')
  returning xmax = 0
$$;
