import { SandgateError } from '../../domain/errors.js';
import type { Database, TenantTransaction } from '../db/database.js';
import type { ConnectionSecrets } from '../connections/connection-secrets.js';
import type { Sealer } from '../seal/sealer.js';
import { appJwt, readAppKey } from './app-jwt.js';
import type { CodehostApi, InstallationToken, RepositoryLister } from './codehost-api.js';
import { explained } from './prove-connection.js';

/** A cached token is used while it has more than this left (chapter 50 §8). */
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

/** What a connection of a code host rests on, read anew before every use: a credential is never older than its status. */
interface CredentialRow {
  provider: string;
  external_account_id: string;
  authorization_generation: number;
  registration_id: string | null;
  app_id: string | null;
  registration_status: string | null;
  registration_app_id: string | null;
  pem_sealed: Buffer | null;
  pem_key_version: number | null;
}

/** Tokens for the code host, of connections that are active: the personal token itself, or one minted for an app's installation. */
export class CodehostTokens {
  private readonly minted = new Map<string, Promise<InstallationToken>>();

  constructor(
    private readonly database: Database,
    private readonly secrets: ConnectionSecrets,
    private readonly sealer: Sealer,
    private readonly api: CodehostApi,
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
      throw new SandgateError('invalid_request', `a connection of provider ${row.provider} is none of a code host`);
    return { token: (await this.installationToken(of, row)).token, lister: 'installation' };
  }

  /** Forgets what was minted for a connection that was revoked, approved or suspended. */
  evict(connectionId: string): void {
    for (const key of this.minted.keys()) if (key.startsWith(`${connectionId}:`)) this.minted.delete(key);
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
    const { appId, pem } = await this.openApp(of, row);
    const jwt = appJwt(appId, readAppKey(pem));
    return explained(() => this.api.installationToken(jwt, row.external_account_id), {
      401: 'the code host rejected the app of this connection',
      403: 'the code host forbids this installation',
      404: 'the code host knows no such installation any more',
    });
  }

  /** The keys of an app that we registered rest with its registration, those of one that was entered by hand with the connection. */
  private async openApp(of: TokenRequest, row: CredentialRow): Promise<{ appId: string; pem: string }> {
    if (row.registration_id === null) {
      if (row.app_id === null) throw new SandgateError('internal', 'a connection of an app does not name it');
      return { appId: row.app_id, pem: await this.openCredential(of, row) };
    }
    if (row.registration_status !== 'active' || row.pem_sealed === null || row.registration_app_id === null) {
      throw new SandgateError('conflict', 'the app registration of the connection is not active');
    }
    const place = {
      organizationId: of.organizationId,
      column: 'github_app_registrations.pem',
      row: row.registration_id,
    };
    const pem = await this.sealer.open(place, row.pem_sealed, row.pem_key_version ?? 1);
    return { appId: row.registration_app_id, pem: pem.toString('utf8') };
  }
}

async function readCredential(tx: TenantTransaction, connectionId: string): Promise<CredentialRow | undefined> {
  const [row] = await tx.query<CredentialRow>(
    `select c.provider, c.external_account_id, c.authorization_generation, c.registration_id, c.metadata ->> 'app_id' as app_id,
            r.status as registration_status, r.app_id as registration_app_id,
            r.pem_sealed, r.pem_key_version
       from integration_connections c left join github_app_registrations r on r.id = c.registration_id
      where c.id = $1 and c.status = 'active'`,
    [connectionId],
  );
  return row;
}
