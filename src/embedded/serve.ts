import { loadConfig, type SandgateConfig } from '../platform/config/index.js';
import { isLoopbackHost } from '../platform/host/loopback.js';
import { generateSecrets } from './generated-secrets.js';
import { isUnset, serviceEnvironment } from './service-environment.js';
import { migrateDatabase, withoutSecretsOfTheApi } from './service-parts.js';
import type { ServedPart } from './served-parts.js';
import { StartRefused } from './start-refused.js';
import { openStateFolder } from './state-folder.js';

const DEFAULT_BIND = '127.0.0.1:8787';
const PROGRAMS: Readonly<Record<ServedPart, string>> = { api: '../../api/main.js', worker: '../../worker/main.js' };

/**
 * Turns this process into one part of a deployment that has its own PostgreSQL and Temporal (docs/deploy.md): brings the schema up to date,
 * makes the secrets that nobody configured, and goes on as the API or the worker. Whatever keeps services running starts it again
 * when a store is not there yet.
 *
 * @throws StartRefused, ConfigError
 */
export async function serve(part: ServedPart, env: NodeJS.ProcessEnv): Promise<void> {
  const config = loadConfig(env);
  const { url } = config.database;
  if (url === null) throw new StartRefused('DATABASE_URL must be set; `sandgate start` runs a PostgreSQL of its own');
  if (isUnset(env, 'TEMPORAL_ADDRESS') && isUnset(env, 'TEMPORAL_CONFIG_FILE'))
    throw new StartRefused('TEMPORAL_ADDRESS must be set; `sandgate start` runs a Temporal of its own');
  if (part === 'api') refuseUnknownToken(config);
  const folder = openStateFolder(config.data.dir);
  generateSecrets(folder);
  await migrateDatabase({ ...env, DATABASE_URL: url });
  const complete = serviceEnvironment(env, config, folder, {
    databaseUrl: url,
    temporalAddress: null,
    temporalWebUrl: null,
    bind: env['SERVICE_BIND'] || DEFAULT_BIND,
  });
  process.env = part === 'worker' ? withoutSecretsOfTheApi(complete) : complete;
  await import(new URL(PROGRAMS[part], import.meta.url).href);
}

/** Whoever reaches a listener of the network must be told its token by the one who runs it; one that is generated is in a file of the host. */
function refuseUnknownToken({ auth, http: { bind } }: SandgateConfig): void {
  if (auth.adminToken !== null || isLoopbackHost(bind.host)) return;
  throw new StartRefused(
    `SERVICE_ADMIN_TOKEN must be set, because ${bind.host} can be reached from other machines; \`openssl rand -hex 24\` makes one`,
  );
}
