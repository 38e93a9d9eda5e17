-- Counts of what workspaces and projects hold, for several of them at once.

create or replace function docsvc_count_projects(p_workspaces uuid[])
returns table (id uuid, amount int)
language sql stable
as $$
  select p.workspace_id, count(*)::int from projects p
    where p.workspace_id = any (p_workspaces) and p.archived_at is null group by p.workspace_id
$$;

create or replace function docsvc_count_documents(p_projects uuid[])
returns table (id uuid, amount int)
language sql stable
as $$
  select d.project_id, count(*)::int from documents d
    where d.project_id = any (p_projects) and d.deleted_at is null group by d.project_id
$$;
