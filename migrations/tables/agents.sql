-- Agents, their insert-only revisions, and the capability bundles that revisions pin. References carry the
-- organization, so none can cross it.

create table agents (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  description text,
  created_at timestamptz not null default now(),
  unique (tenant_id, name),
  unique (tenant_id, id)
);
alter table agents enable row level security, force row level security;
create policy tenant_isolation on agents
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
grant select, insert on agents to sandgate_app;

-- A null description says nothing new: the agent is described as it was registered.
create table agent_revisions (
  id uuid primary key,
  tenant_id uuid not null,
  agent_id uuid not null,
  rev int not null check (rev > 0),
  harness text not null,
  runner_image text not null default '',
  model text not null,
  system_prompt text,
  policy_id uuid not null,
  budgets jsonb not null default '{}',
  capability_bundles jsonb not null default '[]',
  default_workspace jsonb,
  connection_requirements jsonb not null default '[]',
  network jsonb,
  setup jsonb,
  env jsonb not null default '{}',
  sandbox jsonb,
  created_at timestamptz not null default now(),
  description text,
  unique (agent_id, rev),
  unique (tenant_id, id),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id),
  foreign key (tenant_id, policy_id) references policies (tenant_id, id)
);
-- Deleting a policy asks which revisions name it, itself and through the foreign key.
create index agent_revisions_policy on agent_revisions (tenant_id, policy_id);
alter table agent_revisions enable row level security, force row level security;
create policy tenant_isolation on agent_revisions
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
grant select, insert on agent_revisions to sandgate_app;
create trigger refuse_change before update or delete or truncate on agent_revisions
  for each statement execute function svc_refuse_change();

-- Insert-only, so that a pin never floats.
create table capability_bundles (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  version int not null check (version > 0),
  description text,
  definition jsonb not null,
  definition_digest text not null,
  created_at timestamptz not null default now(),
  unique (tenant_id, name, version),
  unique (tenant_id, id)
);
alter table capability_bundles enable row level security, force row level security;
create policy tenant_isolation on capability_bundles
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
grant select, insert on capability_bundles to sandgate_app;
create trigger refuse_change before update or delete or truncate on capability_bundles
  for each statement execute function svc_refuse_change();
