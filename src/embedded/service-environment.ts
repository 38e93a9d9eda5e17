import { existsSync } from 'node:fs';
import type { SandgateConfig } from '../platform/config/index.js';
import type { StateFolder } from './state-folder.js';

export interface Embedded {
  /** Address of PostgreSQL, the embedded one or the configured one. */
  readonly databaseUrl: string;
  /** Null when Temporal is configured: then the operator's own client environment stands. */
  readonly temporalAddress: string | null;
  readonly temporalWebUrl: string | null;
  readonly bind: string;
}

/**
 * The environment of the API and the worker: the operator's own, completed by what the installation generated. Secrets go by
 * file, so that no process environment holds them.
 */
export function serviceEnvironment(
  base: NodeJS.ProcessEnv,
  config: SandgateConfig,
  folder: StateFolder,
  embedded: Embedded,
): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {
    ...base,
    NODE_ENV: base['NODE_ENV'] ?? 'production',
    // Without a bound the C library keeps a heap for every thread of the Temporal core.
    MALLOC_ARENA_MAX: base['MALLOC_ARENA_MAX'] ?? '2',
    SERVICE_SUPERVISED: '1',
    SERVICE_DATA_DIR: folder.dir,
    SERVICE_BIND: embedded.bind,
    DATABASE_URL: embedded.databaseUrl,
  };
  delete env['DATABASE_URL_FILE'];
  if (embedded.temporalAddress !== null) env['TEMPORAL_ADDRESS'] = embedded.temporalAddress;
  if (embedded.temporalWebUrl !== null) env['SERVICE_TEMPORAL_WEB_URL'] ??= embedded.temporalWebUrl;
  if (config.auth.adminToken === null) env['SERVICE_ADMIN_TOKEN_FILE'] = folder.adminToken;
  if (config.seal.ledgerKey === null) env['SERVICE_LEDGER_KEY_FILE'] = folder.ledgerKey;
  if (isUnset(base, 'SERVICE_KMS_MODE') && config.seal.staticKek === null) {
    env['SERVICE_KMS_MODE'] = 'static';
    env['SERVICE_KMS_STATIC_KEK_FILE'] = folder.kek;
  }
  if (isUnset(base, 'SERVICE_NETWORK_PRESETS') && existsSync(folder.networkPresets))
    env['SERVICE_NETWORK_PRESETS'] = folder.networkPresets;
  return env;
}

export function isUnset(env: NodeJS.ProcessEnv, name: string): boolean {
  return (env[name] ?? '') === '' && (env[`${name}_FILE`] ?? '') === '';
}
