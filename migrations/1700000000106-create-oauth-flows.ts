import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization, ownBySystem } from './row-isolation.js';

/**
 * One row per started connect flow: everything that the callback needs is frozen here, nothing is discovered then (chapter 40
 * §8.3). Of the state and of the browser's cookie only digests are kept.
 */
export class CreateOauthFlows1700000000106 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table connector_oauth_flows (
        id uuid primary key,
        tenant_id uuid not null references organizations (id),
        connection_id uuid not null,
        initiated_by_user_id uuid,
        state_hash text not null unique check (state_hash ~ '^[0-9a-f]{64}$'),
        browser_hash text not null check (browser_hash ~ '^[0-9a-f]{64}$'),
        issuer text not null,
        iss_required boolean not null,
        authorization_endpoint text not null,
        token_endpoint text not null,
        metadata_digest text not null,
        resource text not null,
        redirect_uri text not null,
        scopes text[] not null,
        challenge text not null,
        challenge_method text not null default 'S256' check (challenge_method = 'S256'),
        client_registration_id uuid references oauth_client_registrations (id) on delete set null,
        client_id text not null,
        client_id_source text not null check (client_id_source in ('preregistered', 'cimd', 'dcr')),
        token_endpoint_auth_method text not null
          check (token_endpoint_auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
        pkce_verifier_sealed bytea not null,
        pkce_verifier_key_version smallint not null check (pkce_verifier_key_version in (1, 2)),
        expected_generation int not null,
        created_at timestamptz not null default clock_timestamp(),
        expires_at timestamptz not null,
        opened_at timestamptz,
        consumed_at timestamptz,
        unique (tenant_id, id),
        foreign key (tenant_id, connection_id) references integration_connections (tenant_id, id),
        foreign key (tenant_id, initiated_by_user_id) references users (tenant_id, id)
      );
      create index connector_oauth_flows_connection on connector_oauth_flows (tenant_id, connection_id);
      create index connector_oauth_flows_expiry on connector_oauth_flows (tenant_id, expires_at);
      create index connector_oauth_flows_registration on connector_oauth_flows (client_registration_id);
      ${isolateByOrganization('connector_oauth_flows', { app: 'select, insert, update, delete', system: 'select, update' })}

      -- The callback knows no organization. One UPDATE claims the flow for the browser whose cookie opened it; of a flow that is
      -- not claimed it says only whether it still lives.
      create function svc_claim_oauth_flow(p_state_hash text, p_browser_hash text)
      returns table (outcome text, organization_id uuid, flow_id uuid)
      language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      begin
        return query
          update connector_oauth_flows f set consumed_at = clock_timestamp()
          where f.state_hash = p_state_hash and f.browser_hash = p_browser_hash
            and f.opened_at is not null and f.consumed_at is null and f.expires_at > clock_timestamp()
          returning 'claimed'::text, f.tenant_id, f.id;
        if found then return; end if;
        return query
          select case when exists (select 1 from connector_oauth_flows f where f.state_hash = p_state_hash
                                   and f.consumed_at is null and f.expires_at > clock_timestamp())
                 then 'other_browser' else 'gone' end, null::uuid, null::uuid;
      end $$;
      ${ownBySystem('svc_claim_oauth_flow(text, text)')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
