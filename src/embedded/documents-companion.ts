import { join } from 'node:path';
import { publicUrl } from '../platform/config/public-url.js';
import { listenAddress } from '../platform/config/readers.js';
import { readTemporalConnection } from '../platform/config/temporal-connection.js';
import { documentsEnvironment, DocumentsPrograms, DOCSVC } from './documents-service.js';
import { isUnset } from './service-environment.js';
import { StartRefused } from './start-refused.js';
import type { Supervisor } from './supervisor.js';

/** What the control plane's installation lends. */
export interface LentStores {
  /** Address of the database for documents in the embedded cluster; null where the control plane's own database is configured. */
  readonly databaseUrl: string | null;
  /** Null where Temporal is configured. */
  readonly temporalAddress: string | null;
  readonly temporalWebUrl: string | null;
}

/**
 * The documents service beside the control plane: on the same two servers, with database, login, runtime role and namespace of its own. It
 * is started by path and environment.
 */
export class DocumentsCompanion {
  private readonly programs = new DocumentsPrograms();
  readonly dir: string;
  /** Known once it runs. */
  url = '';

  /** @throws StartRefused where it is not built, or no database for it is known */
  constructor(
    private readonly env: NodeJS.ProcessEnv,
    dataDir: string,
    private readonly hasEmbeddedPostgres: boolean,
  ) {
    this.dir = env['DOCSVC_DATA_DIR'] || join(dataDir, DOCSVC);
    if (!hasEmbeddedPostgres && !this.hasOwnDatabase) {
      throw new StartRefused(
        'DOCSVC_DATABASE_URL must be set, because DATABASE_URL is: the documents service needs a database of its own on your server',
      );
    }
  }

  /** Whether the embedded cluster has to hold its database. */
  get isGuest(): boolean {
    return this.hasEmbeddedPostgres && !this.hasOwnDatabase;
  }

  /** The secret of the client that the first start made. */
  get clientFile(): string {
    return join(this.dir, 'first-client.json');
  }

  /** Prepares and starts its API and its worker. */
  async launch(supervisor: Supervisor, stores: LentStores, port: number): Promise<void> {
    const bind = this.env['DOCSVC_BIND'] || `127.0.0.1:${port}`;
    const env = documentsEnvironment(this.env, {
      dir: this.dir,
      bind,
      databaseUrl: this.hasOwnDatabase ? null : stores.databaseUrl,
      temporalAddress: isUnset(this.env, 'DOCSVC_TEMPORAL_ADDRESS') ? stores.temporalAddress : null,
      temporalWebUrl: stores.temporalWebUrl,
    });
    await this.programs.prepare(env);
    this.url = publicUrl({ publicUrl: null, bind: listenAddress.parse(bind) });
    const address = env['DOCSVC_TEMPORAL_ADDRESS'] || env['TEMPORAL_ADDRESS'];
    const { connection } = readTemporalConnection({ ...env, ...(address ? { TEMPORAL_ADDRESS: address } : {}) });
    const temporal = { connection, namespace: env['DOCSVC_TEMPORAL_NAMESPACE'] || DOCSVC };
    await Promise.all([
      supervisor.launch('service', this.programs.api(supervisor.shared, env, this.url)),
      supervisor.launch('service', this.programs.worker(supervisor.shared, env, temporal)),
    ]);
  }

  private get hasOwnDatabase(): boolean {
    return !isUnset(this.env, 'DOCSVC_DATABASE_URL');
  }
}
