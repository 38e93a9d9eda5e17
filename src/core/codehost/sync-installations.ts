import type { ConnectionRecord } from '../../domain/connections/connection.js';
import { SandgateError } from '../../domain/errors.js';
import { notFound } from '../../domain/resource-id.js';
import type { CodeHost, CodehostInstallation } from '../../platform/codehost/code-host.js';
import { CodehostError } from '../../platform/codehost/codehost-error.js';
import type { ConnectionCaches } from '../connections/connection-caches.js';
import { requireSealing } from '../connections/connection-secrets.js';
import type { Database } from '../record/database.js';
import type { Sealer } from '../../platform/seal/sealer.js';
import { readRegistration } from './app-registrations.js';
import type { CodehostTokens } from './codehost-tokens.js';
import {
  connectInstallation,
  type ConnectedApp,
  type InstallationOutcome,
  type InstallationRefusal,
} from './connect-installation.js';
import { connectedApp } from './install-app.js';

export interface SyncParts {
  database: Database;
  sealer: Sealer;
  api: CodeHost;
  tokens: Pick<CodehostTokens, 'registrationJwt'>;
  caches: ConnectionCaches;
}

export interface SyncedInstallations {
  /** How many the host lists. */
  installations: number;
  connections: ConnectionRecord[];
  conflicts: { installation_id: string; reason: string }[];
}

const PER_PAGE = 100;
/** A host that never ends its list is not followed for ever. */
const MAX_PAGES = 100;

/** Connects every installation of an app that its host lists (docs/design/code-host-apps.md). */
export class SyncInstallations {
  constructor(private readonly parts: SyncParts) {}

  /**
   * @throws SandgateError `not_found`, `invalid_request` when the registration is not active, `upstream_failed` when the host cannot be
   * asked, `unavailable` without a sealing key
   */
  async sync(organizationId: string, registrationId: string, userId: string | null): Promise<SyncedInstallations> {
    const { database, sealer } = this.parts;
    const registration = await database.withTenant(organizationId, (tx) => readRegistration(tx, registrationId));
    if (registration === null) throw notFound('app registration');
    const app = connectedApp(registration);
    if (app === null) throw notActive(registration.status);
    requireSealing(sealer);
    const listed = await this.list(organizationId, app);
    const synced: SyncedInstallations = { installations: listed.length, connections: [], conflicts: [] };
    for (const installation of listed) {
      const outcome = await database.withTenant(organizationId, (tx) =>
        connectInstallation(tx, app, installation, { via: 'sync', userId }),
      );
      this.note(synced, installation.id, outcome);
    }
    return synced;
  }

  private note(synced: SyncedInstallations, id: string, outcome: InstallationOutcome): void {
    if (outcome.outcome !== 'refused') {
      this.parts.caches.evict(outcome.connection.id);
      synced.connections.push(outcome.connection);
      return;
    }
    if (outcome.reason === 'registration_inactive') throw notActive('revoked');
    synced.conflicts.push({ installation_id: id, reason: REASONS[outcome.reason] });
  }

  private async list(organizationId: string, app: ConnectedApp): Promise<CodehostInstallation[]> {
    try {
      const jwt = await this.parts.tokens.registrationJwt(organizationId, app.registrationId);
      const found = new Map<string, CodehostInstallation>();
      for (let page = 1; page <= MAX_PAGES; page += 1) {
        const rows = await this.parts.api.installations(jwt, { page, perPage: PER_PAGE });
        for (const row of rows) if (row.appId === app.appId) found.set(row.id, row);
        if (rows.length < PER_PAGE) return [...found.values()];
      }
      throw new SandgateError('upstream_failed', `the code host lists more than ${MAX_PAGES * PER_PAGE} installations`);
    } catch (cause) {
      if (cause instanceof SandgateError && cause.code === 'conflict') throw notActive('revoked');
      if (!(cause instanceof CodehostError)) throw cause;
      throw new SandgateError('upstream_failed', `${cause.message}; try again later`, { cause });
    }
  }
}

const REASONS: Record<Exclude<InstallationRefusal, 'registration_inactive'>, string> = {
  revoked: 'its connection was revoked: approve it to revive it',
  other_custody: 'it is connected by hand or through another registration',
};

function notActive(status: string): SandgateError {
  return new SandgateError('invalid_request', `the app registration is ${status}, not active`);
}
