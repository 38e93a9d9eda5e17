-- People and what they may do in their organization.

-- A user belongs to one organization; the same human in two is two users. idp_config_id and subject stay null for a
-- user that no identity provider vouched for.
create table users (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  idp_config_id uuid,
  subject text,
  email text,
  email_normalized text,
  email_verified boolean not null default false,
  name text,
  status text not null default 'active' check (status in ('active', 'deactivated')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_login_at timestamptz,
  check ((idp_config_id is null) = (subject is null)),
  unique (tenant_id, id),
  unique (tenant_id, idp_config_id, subject)
);
create index users_email on users (tenant_id, email_normalized);
alter table users enable row level security, force row level security;
create policy tenant_isolation on users
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on users to sandgate_system using (true) with check (true);
grant select, insert, update on users to sandgate_app;
grant select on users to sandgate_system;

create table org_memberships (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  user_id uuid not null,
  roles text[] not null default '{member}'
    check (roles <@ array['member', 'approver', 'admin', 'owner'] and cardinality(roles) > 0),
  status text not null default 'active' check (status in ('active', 'deactivated')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deactivated_at timestamptz,
  unique (tenant_id, id),
  unique (tenant_id, user_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
alter table org_memberships enable row level security, force row level security;
create policy tenant_isolation on org_memberships
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on org_memberships to sandgate_system using (true) with check (true);
grant select, insert, update on org_memberships to sandgate_app;
grant select on org_memberships to sandgate_system;
