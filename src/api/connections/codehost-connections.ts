import { Injectable } from '@nestjs/common';
import type { ConnectionRecord } from '../../domain/connections/connection.js';
import { refuseMembers } from '../../domain/connections/refuse-members.js';
import { requireHeaderValue } from '../../domain/connections/static-credential.js';
import { SandgateError } from '../../domain/errors.js';
import { Codehost } from '../../core/codehost/codehost.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { proveInstallation, proveToken } from '../../platform/codehost/prove-connection.js';
import { ConnectionRecords } from '../../core/connections/connection-records.js';
import type { NewConnection } from '../../core/connections/connection-rows.js';
import { ConnectionSecrets } from '../../core/connections/connection-secrets.js';
import { isUniqueViolation } from '../../platform/postgres/database-errors.js';
import { validated, type Unvalidated } from '../http/validated.js';
import type { ConnectionOwner } from './connection-owner.js';
import { CreateConnection } from './create-connection.dto.js';

/**
 * Makes connections to the code host (docs/design/connections.md). A credential is proved there before anything is
 * stored, and sealed before the row exists.
 */
@Injectable()
export class CodehostConnections {
  constructor(
    private readonly codehost: Codehost,
    private readonly records: ConnectionRecords,
    private readonly secrets: ConnectionSecrets,
  ) {}

  /**
   * By the personal token of an account. With a webhook secret it also receives events, without an app.
   *
   * @throws SandgateError `invalid_request` when the host rejects the token, `upstream_failed` when it cannot be asked
   */
  async connectToken(
    organizationId: string,
    owner: ConnectionOwner,
    body: Unvalidated<CreateConnection>,
  ): Promise<ConnectionRecord> {
    refuseMembers(body, MEMBERS_OF_APPS_ALONE, 'is of codehost_app connections; this one is codehost');
    refuseMembers(body, MEMBERS_OF_MCP, 'is of mcp_http connections; this one is codehost');
    const { token } = validated(CreateConnection, body, 'token');
    requireHeaderValue(token);
    const { display_name } = validated(CreateConnection, body, 'display_name');
    const webhookSecret = chosenWebhookSecret(owner, body);
    const account = await proveToken(this.codehost.api, token);
    const id = newRowId();
    const ref = { organizationId, connectionId: id };
    return this.records.insert(organizationId, {
      ...draftOf(id, 'codehost', owner),
      external_account_id: account.id,
      display_name: display_name ?? account.login,
      granted_scopes: account.scopes,
      metadata: { login: account.login },
      credential: await this.secrets.seal(ref, 'credential', token),
      webhookSecret: webhookSecret === null ? null : await this.secrets.seal(ref, 'webhook_secret', webhookSecret),
    });
  }

  /**
   * By an app of the caller's own that is installed there; its keys rest with the connection.
   *
   * @throws SandgateError `invalid_request` when the host rejects app or installation, `conflict` when the installation is connected
   * already, `upstream_failed` when the host cannot be asked
   */
  async connectInstallation(
    organizationId: string,
    owner: ConnectionOwner,
    body: Unvalidated<CreateConnection>,
  ): Promise<ConnectionRecord> {
    if (owner.owner_type === 'user')
      throw new SandgateError('invalid_request', 'owner: an installation of an app belongs to the organization');
    refuseMembers(body, ['token'], 'is of codehost and mcp_http connections; this one is codehost_app');
    refuseMembers(body, MEMBERS_OF_MCP, 'is of mcp_http connections; this one is codehost_app');
    const sent = validated(CreateConnection, body, ...MEMBERS_OF_APPS, 'display_name');
    const { app_id: appId, installation_id: installationId } = sent;
    const [privateKey, webhookSecret] = [sent.private_key.trim(), sent.webhook_secret.trim()];
    const proven = await proveInstallation(this.codehost.api, { appId, installationId, privateKey });
    if (proven.suspended)
      throw new SandgateError(
        'invalid_request',
        'installation_id: it is suspended at the code host; unsuspend it first',
      );
    const id = newRowId();
    const ref = { organizationId, connectionId: id };
    const account = proven.accountLogin;
    return this.insertInstallation(organizationId, {
      ...draftOf(id, 'codehost_app', owner),
      external_account_id: installationId,
      display_name: sent.display_name ?? `${proven.appSlug} → ${account}`,
      metadata: { app_id: appId, installation_id: installationId, app_slug: proven.appSlug, account_login: account },
      credential: await this.secrets.seal(ref, 'credential', privateKey),
      webhookSecret: await this.secrets.seal(ref, 'webhook_secret', webhookSecret),
    });
  }

  private async insertInstallation(organizationId: string, connection: NewConnection): Promise<ConnectionRecord> {
    try {
      return await this.records.insert(organizationId, connection);
    } catch (cause) {
      if (!isUniqueViolation(cause, LIVE_INSTALLATION)) throw cause;
      throw new SandgateError('conflict', 'installation_id: this installation is connected already', { cause });
    }
  }
}

const MEMBERS_OF_APPS_ALONE = ['app_id', 'installation_id', 'private_key'] as const;
export const MEMBERS_OF_APPS = [...MEMBERS_OF_APPS_ALONE, 'webhook_secret'] as const;
const MEMBERS_OF_MCP = [
  'base_url',
  'auth_kind',
  'header_name',
  'scheme',
  'scopes',
  'client_id',
  'client_secret',
] as const;

/** Of two live connections to one installation the second is refused. */
export const LIVE_INSTALLATION = 'integration_connections_live_installation';

/** One that a person chose; the host will sign with it, so a short one could be guessed from what it signed. */
const WEBHOOK_SECRET = /^[^]{16,256}$/u;

/** @returns null when none was sent */
function chosenWebhookSecret(owner: ConnectionOwner, body: Unvalidated<CreateConnection>): string | null {
  if (body.webhook_secret == null) return null;
  if (owner.owner_type === 'user')
    throw new SandgateError('invalid_request', 'webhook_secret: only a connection of the organization receives events');
  const secret = validated(CreateConnection, body, 'webhook_secret').webhook_secret.trim();
  if (!WEBHOOK_SECRET.test(secret))
    throw new SandgateError('invalid_request', 'webhook_secret: must have 16 to 256 characters');
  return secret;
}

function draftOf(id: string, provider: 'codehost' | 'codehost_app', owner: ConnectionOwner) {
  return { id, provider, status: 'active', auth_kind: 'static', ...owner } as const;
}
