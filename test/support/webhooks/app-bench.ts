import { v7 as uuidv7 } from 'uuid';
import { AppRegistrationEntity } from '../../../src/core/codehost/app-registration.entity.js';
import { findInstallation, insertConnection } from '../../../src/core/connections/connection-rows.js';
import type { ConnectionRecord, ConnectionStatus } from '../../../src/domain/connections/connection.js';
import { insertRows } from '../../../src/platform/postgres/write-rows.js';
import { Sealer } from '../../../src/platform/seal/sealer.js';
import type { Answer } from '../api/api.js';
import { IngressBench, type SentWebhook } from './ingress-bench.js';

export const APP_SECRET = 'whsec-canary-of-the-app';

/** The bench of webhooks with an app that is registered at its code host. */
export class AppBench {
  private constructor(
    readonly bench: IngressBench,
    readonly registrationId: string,
  ) {}

  static async start(): Promise<AppBench> {
    const bench = await IngressBench.start();
    return new AppBench(bench, await register(bench));
  }

  /** Another registration of the same app. */
  register(more: { status?: 'active' | 'revoked'; secret?: string | null } = {}): Promise<string> {
    return register(this.bench, more);
  }

  send(event: string, payload: unknown, of: SentWebhook & { registrationId?: string } = {}): Promise<Answer> {
    const path = `/v1/ingress/codehost/app/${of.registrationId ?? this.registrationId}`;
    return this.bench.send(payload, { secret: APP_SECRET, path, event, ...of });
  }

  /** An event of an installation of the app. */
  installation(action: string, id: string, of: { registrationId?: string } = {}): Promise<Answer> {
    const account = { login: 'acme', id: 1 };
    return this.send('installation', { action, installation: { id: Number(id), account, app_id: 99 } }, of);
  }

  /** A connection to an installation. `registrationId` null: entered by hand. */
  async connect(
    installationId: string,
    status: ConnectionStatus,
    registrationId: string | null = this.registrationId,
  ): Promise<ConnectionRecord> {
    const { api } = this.bench;
    return api.db.withTenant(api.organizationId, async (tx) => {
      const { id } = await insertConnection(tx, {
        id: uuidv7(),
        provider: 'codehost_app',
        external_account_id: installationId,
        display_name: 'sandgate-acme → acme',
        status,
        auth_kind: 'static',
        owner_type: 'organization',
        owner_user_id: null,
        created_by_user_id: null,
        registration_id: registrationId,
        metadata: { app_id: '99', installation_id: installationId },
      });
      // With the columns that the database filled in.
      const made = (await findInstallation(tx, installationId)).find((one) => one.id === id);
      if (made === undefined) throw new Error('the connection is not there');
      return made;
    });
  }

  /** Connections to an installation, newest first. */
  connections(installationId: string): Promise<ConnectionRecord[]> {
    const { api } = this.bench;
    return api.db.withTenant(api.organizationId, (tx) => findInstallation(tx, installationId));
  }

  async statuses(installationId: string): Promise<ConnectionStatus[]> {
    return (await this.connections(installationId)).map(({ status }) => status);
  }

  /** Forgets every installation; one of the host says again what it said first. */
  async clear(): Promise<void> {
    this.bench.host.reset();
    await this.bench.clear();
    await this.bench.api.database.owner.query(
      `update integration_connections set external_account_id = id::text, status = 'revoked' where provider = 'codehost_app'`,
    );
  }

  close(): Promise<void> {
    return this.bench.close();
  }
}

async function register(
  { api, host }: IngressBench,
  { status = 'active', secret = APP_SECRET }: { status?: 'active' | 'revoked'; secret?: string | null } = {},
): Promise<string> {
  const id = uuidv7();
  const sealer = api.app.get(Sealer, { strict: false });
  const seal = (column: string, text: string) =>
    sealer.seal({ organizationId: api.organizationId, column: `github_app_registrations.${column}`, row: id }, text);
  const pem = await seal('pem', host.app.privateKey);
  const webhook = secret === null ? null : await seal('webhook_secret', secret);
  const row = Object.assign(new AppRegistrationEntity(), {
    id,
    tenant_id: api.organizationId,
    status,
    target_kind: 'personal' as const,
    app_id: '99',
    slug: 'sandgate-acme',
    pem_sealed: pem.bytes,
    pem_key_version: pem.keyVersion,
    ...(webhook === null
      ? {}
      : { webhook_secret_sealed: webhook.bytes, webhook_secret_key_version: webhook.keyVersion }),
  });
  await api.db.withTenant(api.organizationId, (tx) => insertRows(tx, AppRegistrationEntity, [row]));
  return id;
}
