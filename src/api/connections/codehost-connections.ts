import { Injectable } from '@nestjs/common';
import type { ConnectionRecord } from '../../domain/connections/connection.js';
import { parseDisplayName } from '../../domain/connections/label.js';
import { readOptionalText } from '../../domain/connections/optional-text.js';
import { refuseMembers } from '../../domain/connections/refuse-members.js';
import { readBearerToken } from '../../domain/connections/static-credential.js';
import { SandgateError } from '../../domain/errors.js';
import { Codehost } from '../../core/codehost/codehost.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { proveInstallation, proveToken } from '../../platform/codehost/prove-connection.js';
import { ConnectionRecords } from '../../core/connections/connection-records.js';
import type { NewConnection } from '../../core/connections/connection-rows.js';
import { ConnectionSecrets } from '../../core/connections/connection-secrets.js';
import { isUniqueViolation } from '../../platform/postgres/database-errors.js';
import type { ConnectionOwner } from './connection-owner.js';
import type { CreateConnection } from './create-connection.dto.js';

const NUMERIC_ID = /^[0-9]{1,20}$/;

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
   * By the personal token of an account.
   *
   * @throws SandgateError `invalid_request` when the host rejects the token, `upstream_failed` when it cannot be asked
   */
  async connectToken(
    organizationId: string,
    owner: ConnectionOwner,
    body: CreateConnection,
  ): Promise<ConnectionRecord> {
    refuseMembers(body, MEMBERS_OF_APPS, 'is of codehost_app connections; this one is codehost');
    refuseMembers(body, MEMBERS_OF_MCP, 'is of mcp_http connections; this one is codehost');
    const token = readBearerToken(body.token);
    const displayName = parseDisplayName(body.display_name, '');
    const account = await proveToken(this.codehost.api, token);
    const id = newRowId();
    return this.records.insert(organizationId, {
      ...draftOf(id, 'codehost', owner),
      external_account_id: account.id,
      display_name: displayName === '' ? account.login : displayName,
      granted_scopes: account.scopes,
      metadata: { login: account.login },
      credential: await this.secrets.seal({ organizationId, connectionId: id }, 'credential', token),
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
    body: CreateConnection,
  ): Promise<ConnectionRecord> {
    if (owner.owner_type === 'user')
      throw new SandgateError('invalid_request', 'owner: an installation of an app belongs to the organization');
    refuseMembers(body, ['token'], 'is of codehost and mcp_http connections; this one is codehost_app');
    refuseMembers(body, MEMBERS_OF_MCP, 'is of mcp_http connections; this one is codehost_app');
    const appId = requireNumber(body, 'app_id');
    const installationId = requireNumber(body, 'installation_id');
    const privateKey = requireText(body, 'private_key');
    const webhookSecret = requireText(body, 'webhook_secret');
    const displayName = parseDisplayName(body.display_name, '');
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
      display_name: displayName === '' ? `${proven.appSlug} → ${account}` : displayName,
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

export const MEMBERS_OF_APPS = ['app_id', 'installation_id', 'private_key', 'webhook_secret'] as const;
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

function draftOf(id: string, provider: 'codehost' | 'codehost_app', owner: ConnectionOwner) {
  return { id, provider, status: 'active', auth_kind: 'static', ...owner } as const;
}

function requireText(body: CreateConnection, member: keyof CreateConnection): string {
  const text = readOptionalText(body[member], member);
  if (text === null) throw new SandgateError('invalid_request', `${member}: is required and must not be empty`);
  return text;
}

function requireNumber(body: CreateConnection, member: keyof CreateConnection): string {
  const given = body[member];
  const text = typeof given === 'number' && Number.isSafeInteger(given) ? String(given) : given;
  if (typeof text === 'string' && NUMERIC_ID.test(text.trim())) return text.trim();
  throw new SandgateError('invalid_request', `${member}: is required and must be a number of at most 20 digits`);
}
