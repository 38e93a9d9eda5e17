import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization, ownBySystem } from './row-isolation.js';

const DEFINER = 'security definer set search_path = pg_catalog, public, pg_temp';

/**
 * What an authorization server knows this deployment as (chapter 40 §8.2): one row per issuer and redirect address, shared by all
 * organizations, so its organization is null. Everybody reads such a row, nobody writes one but through the functions here. An
 * identity that a person registered by hand rests on its connection and never here.
 */
export class CreateOauthRegistrations1700000000105 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table oauth_client_registrations (
        id uuid primary key,
        tenant_id uuid references organizations (id),
        issuer text not null,
        redirect_uri text not null,
        source text not null check (source in ('dcr', 'cimd')),
        client_id text not null,
        client_secret_sealed bytea,
        client_secret_key_version smallint not null default 1 check (client_secret_key_version in (1, 2)),
        client_secret_expires_at timestamptz,
        registration_endpoint text,
        registration_access_token_sealed bytea,
        registration_access_token_key_version smallint not null default 1
          check (registration_access_token_key_version in (1, 2)),
        token_endpoint_auth_method text not null default 'none'
          check (token_endpoint_auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
        created_at timestamptz not null default now(),
        last_used_at timestamptz not null default now(),
        unique (issuer, redirect_uri)
      );
      ${isolateByOrganization('oauth_client_registrations', { app: 'select, insert, update, delete', system: 'select, insert, update, delete' })}
      create policy of_the_deployment on oauth_client_registrations for select to sandgate_app using (tenant_id is null);

      -- Keeps a new registration; of two that were made at once the first stays, and its id is answered.
      create function svc_keep_oauth_registration(p_id uuid, p_issuer text, p_redirect_uri text, p_source text, p_client_id text,
        p_secret bytea, p_secret_version int, p_secret_expires_at timestamptz, p_endpoint text,
        p_access bytea, p_access_version int, p_auth_method text)
      returns uuid language plpgsql ${DEFINER} as $$
      declare
        kept uuid;
      begin
        insert into oauth_client_registrations (id, issuer, redirect_uri, source, client_id, client_secret_sealed,
          client_secret_key_version, client_secret_expires_at, registration_endpoint, registration_access_token_sealed,
          registration_access_token_key_version, token_endpoint_auth_method)
        values (p_id, p_issuer, p_redirect_uri, p_source, p_client_id, p_secret, p_secret_version, p_secret_expires_at,
                p_endpoint, p_access, p_access_version, p_auth_method)
        on conflict (issuer, redirect_uri) do nothing;
        select r.id into kept from oauth_client_registrations r where r.issuer = p_issuer and r.redirect_uri = p_redirect_uri;
        return kept;
      end $$;
      ${ownBySystem('svc_keep_oauth_registration(uuid, text, text, text, text, bytea, int, timestamptz, text, bytea, int, text)')}

      create function svc_touch_oauth_registration(p_id uuid) returns void language sql ${DEFINER} as $$
        update oauth_client_registrations set last_used_at = clock_timestamp() where id = p_id and tenant_id is null
      $$;
      ${ownBySystem('svc_touch_oauth_registration(uuid)')}

      -- Forgets one that its server no longer knows; the client id guards a row that was registered anew meanwhile.
      create function svc_drop_oauth_registration(p_id uuid, p_client_id text) returns void language sql ${DEFINER} as $$
        delete from oauth_client_registrations where id = p_id and client_id = p_client_id and tenant_id is null
      $$;
      ${ownBySystem('svc_drop_oauth_registration(uuid, text)')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
