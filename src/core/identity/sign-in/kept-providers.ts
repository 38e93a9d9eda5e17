import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../../domain/json.js';
import { OidcError } from '../../../platform/oidc/oidc-error.js';
import type { OidcHttp } from '../../../platform/oidc/oidc-http.js';
import { fetchKeys, fetchProvider, keysOf, readProvider, type Provider } from '../../../platform/oidc/provider.js';
import { changeRow } from '../../../platform/postgres/write-rows.js';
import type { Database } from '../../record/database.js';
import { IdpConfigEntity } from '../idp-config.entity.js';

/** A key that the provider does not know is not asked for again so soon. */
const UNKNOWN_KEY_MS = 120_000;
const MAX_UNKNOWN_KEYS = 1024;

/** A provider as an organization configured it, and what it publishes. */
export interface KnownProvider {
  provider: Provider;
  keys: JsonObject[];
}

/** For how long what a provider published serves, in seconds. */
export interface ProviderWindows {
  maxAgeSecs: number;
  /** Beyond that, while the provider cannot be read. */
  staleGraceSecs: number;
}

/**
 * What providers publish, kept on the row of their configuration for all processes. Whoever needs it while it is being read waits
 * for the same reading.
 */
export class KeptProviders {
  private readonly readings = new Map<string, Promise<KnownProvider>>();
  private readonly keyReadings = new Map<string, Promise<JsonObject[]>>();
  private readonly unknownKeys = new LRUCache<string, true>({ max: MAX_UNKNOWN_KEYS, ttl: UNKNOWN_KEY_MS });

  constructor(
    private readonly db: Database,
    private readonly http: OidcHttp,
    private readonly windows: ProviderWindows,
  ) {}

  /**
   * Metadata and keys of a configuration: fresh, or within the grace while the provider gives none.
   *
   * @throws OidcError when there are none
   */
  async usable(config: IdpConfigEntity): Promise<KnownProvider> {
    const kept = await this.kept(config);
    const { maxAgeSecs, staleGraceSecs } = this.windows;
    if (kept !== null && kept.ageSecs < maxAgeSecs) return kept.known;
    try {
      return await share(this.readings, config.id, () => this.read(config));
    } catch (cause) {
      if (!(cause instanceof OidcError) || kept === null || kept.ageSecs >= maxAgeSecs + staleGraceSecs) throw cause;
      return kept.known;
    }
  }

  /** Reads the keys anew, whatever their age. The age of the metadata stays. @throws OidcError */
  refreshKeys(config: IdpConfigEntity, jwksUri: string): Promise<JsonObject[]> {
    return share(this.keyReadings, config.id, async () => {
      const jwks = await fetchKeys(this.http, jwksUri);
      await this.db.withTenant(config.tenant_id, (tx) => changeRow(tx, IdpConfigEntity, { id: config.id }, { jwks }));
      return keysOf(jwks);
    });
  }

  /** Whether the provider was asked a moment ago and does not know the key. */
  lacksKey(configId: string, kid: string): boolean {
    return this.unknownKeys.has(`${configId}:${kid}`);
  }

  noteMissingKey(configId: string, kid: string): void {
    this.unknownKeys.set(`${configId}:${kid}`, true);
  }

  /** What is kept, with its age by the clock of the database; null when there is nothing that can be used. */
  private async kept(config: IdpConfigEntity): Promise<{ known: KnownProvider; ageSecs: number } | null> {
    const { discovered_metadata: metadata, jwks } = config;
    if (metadata === null || jwks === null) return null;
    const [row] = await this.db.withTenant(config.tenant_id, (tx) =>
      tx.query<{ age: number | null }>('select svc_provider_age($1) as age', [config.id]),
    );
    const known = knownOf(metadata, jwks, config.issuer);
    return known === null || row === undefined || row.age === null ? null : { known, ageSecs: row.age };
  }

  private async read({ id, tenant_id: organizationId }: IdpConfigEntity): Promise<KnownProvider> {
    const config = await this.db.withTenant(organizationId, (tx) =>
      tx.manager.findOneByOrFail(IdpConfigEntity, { tenant_id: organizationId, id }),
    );
    // Somebody else may have read it since the caller looked.
    const kept = await this.kept(config);
    if (kept !== null && kept.ageSecs < this.windows.maxAgeSecs) return kept.known;
    const { metadata, jwks } = await fetchProvider(this.http, config.issuer);
    await this.db.withTenant(config.tenant_id, (tx) =>
      tx.query('select svc_keep_provider($1, $2::jsonb, $3::jsonb)', [
        config.id,
        JSON.stringify(metadata),
        JSON.stringify(jwks),
      ]),
    );
    return { provider: readProvider(metadata, config.issuer), keys: keysOf(jwks) };
  }
}

/** Kept rows may have been written by another version: what cannot be read is read anew from the provider. */
function knownOf(metadata: JsonObject, jwks: JsonObject, issuer: string): KnownProvider | null {
  const keys = keysOf(jwks);
  if (keys.length === 0) return null;
  try {
    return { provider: readProvider(metadata, issuer), keys };
  } catch (cause) {
    if (cause instanceof OidcError) return null;
    throw cause;
  }
}

/** One flight for all who ask for the same meanwhile. */
function share<T>(flights: Map<string, Promise<T>>, key: string, fly: () => Promise<T>): Promise<T> {
  const known = flights.get(key);
  if (known !== undefined) return known;
  const flight = fly().finally(() => flights.delete(key));
  flights.set(key, flight);
  return flight;
}
