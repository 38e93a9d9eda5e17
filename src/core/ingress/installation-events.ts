import type { ConnectionRecord, ConnectionStatus } from '../../domain/connections/connection.js';
import type { CodeHost } from '../../platform/codehost/code-host.js';
import { CodehostError } from '../../platform/codehost/codehost-error.js';
import { readRegistration } from '../codehost/app-registrations.js';
import type { CodehostTokens } from '../codehost/codehost-tokens.js';
import { connectInstallation } from '../codehost/connect-installation.js';
import type { ConnectionCaches } from '../connections/connection-caches.js';
import { findInstallation, moveConnection, removeSecrets } from '../connections/connection-rows.js';
import type { Database, TenantTransaction } from '../record/database.js';
import type { LifecycleAction } from '../../domain/triggers/events/installation-event.js';

/** An installation as a verified event names it. */
export interface NamedInstallation {
  organizationId: string;
  registrationId: string;
  installationId: string;
  accountLogin: string;
}

interface InstallationParts {
  database: Database;
  api: Pick<CodeHost, 'installation'>;
  tokens: Pick<CodehostTokens, 'registrationJwt'>;
  caches: ConnectionCaches;
}

const LIVE: readonly ConnectionStatus[] = ['pending', 'active', 'suspended', 'error'];

/**
 * Follows what the code host tells of installations of a registered app. An event gives no authority: a discovered installation
 * stays `pending` until somebody approves it, and whether one is suspended says the host when it is asked, not the event. Rows of another
 * registration and those that were entered by hand are never touched.
 */
export class InstallationEvents {
  constructor(private readonly on: InstallationParts) {}

  /** @returns the connection as it is then; null when the installation is not one of this registration */
  async follow(action: LifecycleAction, of: NamedInstallation): Promise<ConnectionRecord | null> {
    if (action === 'created') return this.discover(of);
    const connection = await this.find(of);
    if (connection === null) return null;
    const to = action === 'deleted' ? 'revoked' : await this.ask(action, of);
    const moved = to === null ? null : await this.move(connection, to);
    return moved ?? connection;
  }

  private discover(of: NamedInstallation): Promise<ConnectionRecord | null> {
    return this.on.database.withTenant(of.organizationId, async (tx) => {
      const registration = await readRegistration(tx, of.registrationId);
      if (registration?.app_id == null || registration.slug === null) return null;
      const app = { registrationId: registration.id, appId: registration.app_id, slug: registration.slug };
      const installation = { id: of.installationId, accountLogin: of.accountLogin, suspended: false };
      const connected = await connectInstallation(tx, app, installation, { via: 'webhook' });
      return connected.outcome === 'refused' ? null : connected.connection;
    });
  }

  /** The connection of an installation of this registration that is not revoked. */
  async find({ organizationId, registrationId, installationId }: NamedInstallation): Promise<ConnectionRecord | null> {
    const rows = await this.on.database.withTenant(organizationId, (tx) => findInstallation(tx, installationId));
    return rows.find((row) => row.registration_id === registrationId && row.status !== 'revoked') ?? null;
  }

  /** What the host says it is now; null when it cannot be asked and nothing may be assumed. */
  private async ask(
    action: 'suspend' | 'unsuspend',
    of: NamedInstallation,
  ): Promise<'active' | 'suspended' | 'revoked' | null> {
    try {
      const jwt = await this.on.tokens.registrationJwt(of.organizationId, of.registrationId);
      return (await this.on.api.installation(jwt, of.installationId)).suspended ? 'suspended' : 'active';
    } catch (cause) {
      if (!(cause instanceof CodehostError)) throw cause;
      if (cause.status === 404) return 'revoked';
      return action === 'suspend' ? 'suspended' : null;
    }
  }

  /**
   * Between active and suspended, and from every live status to revoked. A pending installation stays pending: by way of suspended it
   * would become active without an approval.
   */
  private async move(
    { id, tenant_id: organizationId }: ConnectionRecord,
    to: 'active' | 'suspended' | 'revoked',
  ): Promise<ConnectionRecord | null> {
    const moved = await this.on.database.withTenant(organizationId, (tx) => moveTo(tx, id, to));
    this.on.caches.evict(id);
    return moved;
  }
}

async function moveTo(
  tx: TenantTransaction,
  id: string,
  to: 'active' | 'suspended' | 'revoked',
): Promise<ConnectionRecord | null> {
  if (to !== 'revoked') return moveConnection(tx, id, [to === 'active' ? 'suspended' : 'active'], to);
  const revoked = await moveConnection(tx, id, LIVE, 'revoked');
  if (revoked !== null) await removeSecrets(tx, id);
  return revoked;
}
