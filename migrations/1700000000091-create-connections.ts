import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization } from './row-isolation.js';

/**
 * Credential grants of an organization or of one of its people (chapter 40 §1). Whose a connection is, and of what kind, never
 * changes after the insert; a revoked row stays revoked but for an app installation that is approved anew.
 */
export class CreateConnections1700000000091 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table integration_connections (
        id uuid primary key,
        tenant_id uuid not null references organizations (id),
        provider text not null check (provider in ('codehost', 'codehost_app', 'mcp_http')),
        external_account_id text not null,
        display_name text not null,
        granted_scopes text[] not null default '{}',
        resource_selection jsonb not null default '{}',
        status text not null check (status in ('pending', 'active', 'suspended', 'error', 'revoked')),
        metadata jsonb not null default '{}',
        auth_kind text not null check (auth_kind in ('static', 'oauth', 'none')),
        oauth jsonb,
        registration_id uuid,
        owner_type text not null check (owner_type in ('organization', 'user')),
        owner_user_id uuid,
        created_by_user_id uuid,
        authorization_generation int not null default 1 check (authorization_generation >= 1),
        credential_sealed bytea,
        credential_key_version smallint not null default 1 check (credential_key_version in (1, 2)),
        webhook_secret_sealed bytea,
        webhook_secret_key_version smallint not null default 1 check (webhook_secret_key_version in (1, 2)),
        client_secret_sealed bytea,
        client_secret_key_version smallint not null default 1 check (client_secret_key_version in (1, 2)),
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        unique (tenant_id, id),
        check ((owner_type = 'user') = (owner_user_id is not null)),
        check (provider <> 'codehost_app' or owner_type = 'organization'),
        check ((auth_kind = 'oauth') = (oauth is not null)),
        foreign key (tenant_id, owner_user_id) references users (tenant_id, id),
        foreign key (tenant_id, created_by_user_id) references users (tenant_id, id)
      );
      create index integration_connections_newest on integration_connections (tenant_id, created_at desc, id desc);
      create index integration_connections_owner on integration_connections (tenant_id, owner_user_id);
      create unique index integration_connections_live_installation
        on integration_connections (tenant_id, provider, external_account_id)
        where provider = 'codehost_app' and status <> 'revoked';
      ${isolateByOrganization('integration_connections', { app: 'select, insert, update', system: 'select' })}

      create function svc_guard_connection() returns trigger language plpgsql as $$
      begin
        if (new.id, new.tenant_id, new.provider, new.auth_kind, new.owner_type, new.owner_user_id, new.created_by_user_id)
           is distinct from
           (old.id, old.tenant_id, old.provider, old.auth_kind, old.owner_type, old.owner_user_id, old.created_by_user_id) then
          raise exception 'owner and kind of a connection cannot change' using errcode = 'insufficient_privilege';
        end if;
        if old.status = 'revoked' and new.status <> 'revoked' and old.provider <> 'codehost_app' then
          raise exception 'connection % is revoked', old.id using errcode = 'insufficient_privilege';
        end if;
        if new.authorization_generation not in (old.authorization_generation, old.authorization_generation + 1)
           or (new.authorization_generation <> old.authorization_generation and new.auth_kind <> 'oauth') then
          raise exception 'the authorization generation grows by one, and for OAuth alone'
            using errcode = 'insufficient_privilege';
        end if;
        return new;
      end $$;
      create trigger guard_connection before update on integration_connections
        for each row execute function svc_guard_connection();`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
