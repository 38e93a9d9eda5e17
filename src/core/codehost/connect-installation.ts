import type { ConnectionRecord } from '../../domain/connections/connection.js';
import type { CodehostInstallation } from '../../platform/codehost/code-host.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import {
  findInstallation,
  insertConnectionUnlessThere,
  refreshInstallation,
  type NewConnection,
} from '../connections/connection-rows.js';
import type { TenantTransaction } from '../record/database.js';
import { lockName } from '../record/named-lock.js';
import { holdRegistration } from './app-registrations.js';

/** The app of an active registration. */
export interface ConnectedApp {
  registrationId: string;
  appId: string;
  slug: string;
}

export interface InstallationSource {
  /** `setup` and `sync` have asked the host under the app's own key; a webhook only told us. */
  via: 'setup' | 'sync' | 'webhook';
  /** Who synchronizes; null for everybody else. */
  userId?: string | null;
}

/** Why an installation was not connected. */
export type InstallationRefusal =
  /** Its connection was revoked: only an approval revives it. */
  | 'revoked'
  /** It is connected by hand, or through another registration. */
  | 'other_custody'
  /** The registration was revoked meanwhile. */
  | 'registration_inactive';

export type InstallationOutcome =
  /** New, or brought up to what the host says. Tokens that were minted for it must be evicted after the commit. */
  | { outcome: 'connected'; connection: ConnectionRecord }
  /** Known before, and unchanged: a webhook gives and takes nothing. */
  | { outcome: 'known'; connection: ConnectionRecord }
  | { outcome: 'refused'; reason: InstallationRefusal };

/**
 * Connects an installation of a registered app to the organization (docs/design/code-host-apps.md). A discovered one stays `pending`
 * until an administrator approves it; what setup or sync verified becomes `active`, or `suspended` where the host says so.
 */
export async function connectInstallation(
  tx: TenantTransaction,
  app: ConnectedApp,
  installation: Pick<CodehostInstallation, 'id' | 'accountLogin' | 'suspended'>,
  source: InstallationSource,
): Promise<InstallationOutcome> {
  if (!(await holdRegistration(tx, app.registrationId))) return { outcome: 'refused', reason: 'registration_inactive' };
  await lockName(tx, `installation ${tx.organizationId} ${installation.id}`);
  const rows = await findInstallation(tx, installation.id);
  if (rows.length === 0) return insert(tx, app, installation, source);
  const ours = rows.filter(({ registration_id: registrationId }) => registrationId === app.registrationId);
  const connection = rows.find(({ status }) => status !== 'revoked') ?? ours[0];
  if (connection === undefined || !ours.includes(connection)) return { outcome: 'refused', reason: 'other_custody' };
  if (source.via === 'webhook') return { outcome: 'known', connection };
  if (connection.status === 'revoked') return { outcome: 'refused', reason: 'revoked' };
  const status = installation.suspended ? 'suspended' : 'active';
  const metadata = metadataOf(app, installation);
  const refreshed = await refreshInstallation(tx, connection, { status, metadata });
  return refreshed === null
    ? { outcome: 'refused', reason: 'revoked' }
    : { outcome: 'connected', connection: refreshed };
}

async function insert(
  tx: TenantTransaction,
  app: ConnectedApp,
  installation: Pick<CodehostInstallation, 'id' | 'accountLogin' | 'suspended'>,
  { via, userId = null }: InstallationSource,
): Promise<InstallationOutcome> {
  const verified = installation.suspended ? 'suspended' : 'active';
  const draft: NewConnection = {
    id: newRowId(),
    provider: 'codehost_app',
    external_account_id: installation.id,
    display_name: `${app.slug} → ${installation.accountLogin}`,
    status: via === 'webhook' ? 'pending' : verified,
    auth_kind: 'static',
    owner_type: 'organization',
    owner_user_id: null,
    created_by_user_id: userId,
    registration_id: app.registrationId,
    metadata: metadataOf(app, installation),
  };
  const connection = await insertConnectionUnlessThere(tx, draft);
  // Somebody connected it by hand in this moment.
  return connection === null ? { outcome: 'refused', reason: 'other_custody' } : { outcome: 'connected', connection };
}

function metadataOf(app: ConnectedApp, { id, accountLogin }: Pick<CodehostInstallation, 'id' | 'accountLogin'>) {
  return {
    app_id: app.appId,
    installation_id: id,
    app_slug: app.slug,
    account_login: accountLogin,
    registration_id: app.registrationId,
  };
}
