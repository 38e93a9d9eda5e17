import { SandgateError } from '../../domain/errors.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { ConnectionEntity } from '../connections/connection.entity.js';
import type { ConnectionSecrets } from '../connections/connection-secrets.js';
import type { Sealer } from '../../platform/seal/sealer.js';
import { readActiveRegistration, type AppRegistration } from './app-registrations.js';
import { appJwt, readAppKey } from '../../platform/codehost/app-jwt.js';
import type { CodeHost, InstallationToken, RepositoryLister } from '../../platform/codehost/code-host.js';
import { explained } from '../../platform/codehost/prove-connection.js';

/** A cached token is used while it has more than this left (docs/design/connections.md). */
const LEAST_LEFT_MS = 5 * 60 * 1000;

export interface CodehostToken {
  token: string;
  /** Whose repositories it lists. */
  lister: RepositoryLister;
}

export interface TokenRequest {
  organizationId: string;
  connectionId: string;
  /** The authorization generation that the caller is bound to; any when left out. */
  generation?: number;
}

/** The state of a connection to a code host, read before every use, so that no credential is used under an old status. */
interface CredentialRow {
  provider: string;
  external_account_id: string;
  authorization_generation: number;
  registration_id: string | null;
  app_id: string | null;
}

/** Tokens for the code host, of connections that are active: the personal token itself, or one minted for an app's installation. */
export class CodehostTokens {
  private readonly minted = new Map<string, Promise<InstallationToken>>();

  constructor(
    private readonly database: Database,
    private readonly secrets: ConnectionSecrets,
    private readonly sealer: Sealer,
    private readonly api: CodeHost,
  ) {}

  /**
   * @throws SandgateError `conflict` when the connection is not active or was reauthorized, `invalid_request` when it is none of a code
   *   host or the host refuses it, `upstream_failed` when the host cannot be asked, `unavailable` without a sealing key
   */
  async get(of: TokenRequest): Promise<CodehostToken> {
    const row = await this.database.withTenant(of.organizationId, (tx) => readCredential(tx, of.connectionId));
    if (row === undefined) throw new SandgateError('conflict', 'the connection is not active — reconnect it');
    if (of.generation !== undefined && row.authorization_generation !== of.generation) {
      throw new SandgateError('conflict', 'the connection was reauthorized meanwhile');
    }
    if (row.provider === 'codehost') return { token: await this.openCredential(of, row), lister: 'user' };
    if (row.provider !== 'codehost_app')
      throw new SandgateError(
        'invalid_request',
        `a connection of provider ${row.provider} does not belong to a code host`,
      );
    // This is checked before a cached token is used, too.
    if (row.registration_id !== null) await this.requireRegistration(of.organizationId, row.registration_id);
    return { token: (await this.installationToken(of, row)).token, lister: 'installation' };
  }

  /**
   * The token by which the app of an active registration proves who it is.
   *
   * @throws SandgateError `conflict` when the registration is not active
   */
  async registrationJwt(organizationId: string, registrationId: string): Promise<string> {
    const app = await this.requireRegistration(organizationId, registrationId);
    const place = { organizationId, column: 'github_app_registrations.pem', row: registrationId };
    const pem = await this.sealer.open(place, app.pem_sealed, app.pem_key_version);
    return appJwt(app.app_id, readAppKey(pem.toString('utf8')));
  }

  /** Forgets the tokens of a connection that was revoked, approved or suspended. */
  evict(connectionId: string): void {
    for (const key of this.minted.keys()) if (key.startsWith(`${connectionId}:`)) this.minted.delete(key);
  }

  private async requireRegistration(organizationId: string, id: string): Promise<AppRegistration> {
    const app = await this.database.withTenant(organizationId, (tx) => readActiveRegistration(tx, id));
    if (app !== undefined) return app;
    throw new SandgateError('conflict', 'the app registration of the connection is not active');
  }

  private openCredential(of: TokenRequest, row: CredentialRow): Promise<string> {
    return this.secrets.credential(of, row.authorization_generation);
  }

  /** Calls that come together share one token; one that fails is forgotten at once. */
  private async installationToken(of: TokenRequest, row: CredentialRow): Promise<InstallationToken> {
    const key = `${of.connectionId}:${row.authorization_generation}`;
    const known = this.minted.get(key);
    if (known !== undefined) {
      const token = await known;
      if (token.expiresAt - Date.now() > LEAST_LEFT_MS) return token;
      if (this.minted.get(key) === known) this.minted.delete(key);
      return this.installationToken(of, row);
    }
    const minting = this.mint(of, row);
    this.minted.set(key, minting);
    try {
      return await minting;
    } catch (cause) {
      if (this.minted.get(key) === minting) this.minted.delete(key);
      throw cause;
    }
  }

  private async mint(of: TokenRequest, row: CredentialRow): Promise<InstallationToken> {
    const jwt = await this.mintJwt(of, row);
    return explained(() => this.api.installationToken(jwt, row.external_account_id), {
      401: 'the code host rejected the app of this connection',
      403: 'the code host forbids this installation',
      404: 'the code host knows no such installation any more',
    });
  }

  /** The keys of an app that we registered rest with its registration, those of one that was entered by hand with the connection. */
  private async mintJwt(of: TokenRequest, row: CredentialRow): Promise<string> {
    if (row.registration_id !== null) return this.registrationJwt(of.organizationId, row.registration_id);
    if (row.app_id === null) throw new SandgateError('internal', 'a connection of an app does not name it');
    return appJwt(row.app_id, readAppKey(await this.openCredential(of, row)));
  }
}

async function readCredential(tx: TenantTransaction, connectionId: string): Promise<CredentialRow | undefined> {
  const row = await tx.manager.findOneBy(ConnectionEntity, { id: connectionId, status: 'active' });
  return row === null ? undefined : { ...row, app_id: row.metadata.app_id ?? null };
}
