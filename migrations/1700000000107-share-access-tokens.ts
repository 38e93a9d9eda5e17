import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization } from './row-isolation.js';

/**
 * The newest access token of a connection, sealed, for the processes that did not ask for it themselves: without it each process
 * would spend a refresh token of its own on the same need. It leaves with the connection's right to be used.
 */
export class ShareAccessTokens1700000000107 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table connector_access_tokens (
        connection_id uuid primary key,
        tenant_id uuid not null,
        authorization_generation int not null,
        token_sealed bytea not null,
        token_key_version smallint not null check (token_key_version in (1, 2)),
        expires_at timestamptz not null,
        foreign key (tenant_id, connection_id) references integration_connections (tenant_id, id)
      );
      ${isolateByOrganization('connector_access_tokens', { app: 'select, insert, update, delete', system: 'select, delete' })}

      create function svc_forget_access_token() returns trigger language plpgsql as $$
      begin
        delete from connector_access_tokens where connection_id = new.id;
        return null;
      end $$;
      create trigger forget_access_token after update on integration_connections for each row
        when (new.status <> 'active' or new.authorization_generation <> old.authorization_generation)
        execute function svc_forget_access_token();`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
