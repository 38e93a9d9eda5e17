import { Injectable } from '@nestjs/common';
import { SandgateError } from '../../domain/errors.js';
import { notFound } from '../../domain/resource-id.js';
import { listRegistrations, readRegistration, revokeRegistration } from '../../core/codehost/app-registrations.js';
import { InstallApp } from '../../core/codehost/install-app.js';
import { RegisterApp } from '../../core/codehost/register-app.js';
import { SyncInstallations } from '../../core/codehost/sync-installations.js';
import { ConnectionCaches } from '../../core/connections/connection-caches.js';
import { ConnectionSecrets } from '../../core/connections/connection-secrets.js';
import { Database } from '../../core/record/database.js';
import { validated, type Unvalidated } from '../http/validated.js';
import {
  StartManifest,
  toRegistrationView,
  toSyncedApp,
  type AppRegistrationList,
  type RevokedApp,
  type StartedAppFlow,
  type SyncedApp,
} from './codehost-apps.dto.js';

/** Apps that the organization registered at the code host (docs/design/code-host-apps.md). */
@Injectable()
export class CodehostAppsService {
  constructor(
    private readonly database: Database,
    private readonly secrets: ConnectionSecrets,
    private readonly register: RegisterApp,
    private readonly install: InstallApp,
    private readonly installations: SyncInstallations,
    private readonly caches: ConnectionCaches,
  ) {}

  async list(organizationId: string): Promise<AppRegistrationList> {
    const registrations = await this.database.withTenant(organizationId, listRegistrations);
    return { registrations: registrations.map(toRegistrationView) };
  }

  /** @throws SandgateError `unavailable` without a sealing key, `invalid_request` */
  async startManifest(organizationId: string, body: Unvalidated<StartManifest>): Promise<StartedAppFlow> {
    this.secrets.requireKey();
    const { organization } = validated(StartManifest, body, 'organization');
    const { registration, goUrl } = await this.register.start(organizationId, organization ?? null);
    return { registration: toRegistrationView(registration), go_url: goUrl };
  }

  /** @throws SandgateError `not_found`, `conflict` when the registration is not active, `unavailable` without a sealing key */
  async startInstall(organizationId: string, id: string): Promise<StartedAppFlow> {
    const { registration, goUrl } = await this.install.start(organizationId, id);
    return { registration: toRegistrationView(registration), go_url: goUrl };
  }

  /** @throws SandgateError what {@link SyncInstallations.sync} throws */
  async sync(organizationId: string, id: string, userId: string | null): Promise<SyncedApp> {
    return toSyncedApp(id, await this.installations.sync(organizationId, id, userId));
  }

  /**
   * Ends a registration with all connections that live by it.
   *
   * @throws SandgateError `not_found`, `conflict` when it is revoked already
   */
  async revoke(organizationId: string, id: string): Promise<RevokedApp> {
    const revoked = await this.database.withTenant(organizationId, async (tx) => {
      const connections = await revokeRegistration(tx, id);
      if (connections === null && (await readRegistration(tx, id)) === null) throw notFound('app registration');
      return connections;
    });
    if (revoked === null) throw new SandgateError('conflict', 'the app registration is revoked already');
    for (const connection of revoked) this.caches.evict(connection);
    return { registration_id: id, revoked_connections: revoked };
  }
}
