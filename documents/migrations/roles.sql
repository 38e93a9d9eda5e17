-- The roles that everything else names. Roles belong to the whole server, so another database of it may have made
-- them already, also at this very moment. The migrating login is made a member of both: the runtime then enters
-- docsvc_app, and functions can be given to docsvc_system.

do $$
begin
  if not exists (select 1 from pg_roles where rolname = 'docsvc_app') then
    create role docsvc_app nologin nosuperuser nocreatedb nocreaterole nobypassrls;
  end if;
exception when duplicate_object or unique_violation then
  raise notice 'role docsvc_app was created meanwhile';
end
$$;

do $$
begin
  if not exists (select 1 from pg_roles where rolname = 'docsvc_system') then
    create role docsvc_system nologin nosuperuser nocreatedb nocreaterole nobypassrls;
  end if;
exception when duplicate_object or unique_violation then
  raise notice 'role docsvc_system was created meanwhile';
end
$$;

do $$
declare
  role text;
begin
  foreach role in array array['docsvc_app', 'docsvc_system'] loop
    if not pg_has_role(current_user, role, 'set') then
      execute format('grant %I to %I', role, current_user);
    end if;
  end loop;
end
$$;

revoke create on schema public from public;
grant usage on schema public to docsvc_app, docsvc_system;
