import { join } from 'node:path';
import { ConfigError } from '../../../../src/platform/config/config-error.js';
import { warnAboutNames, type NamesOfProduct } from '../../../../src/platform/config/known-names.js';
import { freezeSections, readSections } from '../../../../src/platform/config/read-sections.js';
import { opensMetadata } from '../../../../src/platform/egress/network-list.js';
import { SECTIONS, type DocsvcConfig } from './sections.js';
import { readTemporalClient } from './temporal.config.js';

const NAMES: NamesOfProduct = {
  prefix: 'DOCSVC_',
  sections: SECTIONS,
  withoutEffect: [
    'DOCSVC_MCP_URL',
    'DOCSVC_LLM_PROVIDER',
    'DOCSVC_LLM_BASE_URL',
    'DOCSVC_LLM_API_KEY',
    'DOCSVC_LLM_MODEL',
    'DOCSVC_EMBED_MODEL_DIR',
  ],
  ofOtherPrograms: [
    'DOCSVC_SUPERVISED',
    'DOCSVC_CLIENT_ID',
    'DOCSVC_CLIENT_SECRET',
    'DOCSVC_TOKEN',
    'DOCSVC_DEFAULTS_API_URL',
    'DOCSVC_DEFAULTS_PROJECT',
    'DOCSVC_DEFAULTS_OUTPUT',
    'DOCSVC_UPLOAD_CONCURRENCY',
    'DOCSVC_UPLOAD_RETRY_ATTEMPTS',
    'DOCSVC_RUNS_POLL_INTERVAL',
    'DOCSVC_RUNS_TIMEOUT',
  ],
};

/** Names of later versions, by how they begin: who sets one counts on something that would silently not be so. */
const UNKEPT = [
  ['DOCSVC_S3_', 'asks for a store that this version does not have: documents would lie on this host; unset it'],
  ['DOCSVC_OIDC_', 'asks for sign-in at an identity provider, which this version does not have; unset it'],
] as const;

/**
 * Reads the whole configuration from the environment. A malformed value, and a setting that this version cannot keep,
 * throw `ConfigError` naming the variable; the result is frozen.
 */
export function loadConfig(env: NodeJS.ProcessEnv): DocsvcConfig {
  const config: DocsvcConfig = readSections(SECTIONS, env);
  Object.assign(config.temporal, readTemporalClient(env, config.temporal.configuredAddress));
  Object.assign(config.store, { root: config.store.configuredRoot ?? join(config.data.dir, 'blobs') });
  refuseUnkeptPromises(config, env);
  return freezeSections(config);
}

/** Warnings that do not stop the boot: unknown names and settings that deserve a second look. One sentence each. */
export function configWarnings(config: DocsvcConfig, env: NodeJS.ProcessEnv): string[] {
  const warnings = warnAboutNames(env, NAMES);
  if (config.seal.key === null) warnings.push(NO_SEAL_KEY);
  if (opensMetadata(config.egress.allowCidrs)) {
    warnings.push(
      'DOCSVC_EGRESS_ALLOW_CIDRS opens the metadata service of the cloud: whoever may add a webhook can send to it; list narrower networks',
    );
  }
  return warnings;
}

/** Of no use to whoever starts an installation that makes a key. */
export const NO_SEAL_KEY = 'DOCSVC_SEAL_KEY is not set: routes of webhooks and clients answer 503';

/** The value of a required setting; throws `ConfigError` when it is unset. */
export function requireSetting<T>(value: T | null, variable: string): T {
  if (value === null) throw new ConfigError(variable, 'must be set');
  return value;
}

function refuseUnkeptPromises(config: DocsvcConfig, env: NodeJS.ProcessEnv): void {
  if (config.store.kind === 's3') {
    throw new ConfigError('DOCSVC_STORE', 'asks for s3, which this version does not have; use fs');
  }
  for (const [name, value] of Object.entries(env)) {
    const unkept = UNKEPT.find(([begin]) => name.startsWith(begin));
    if (unkept !== undefined && value !== '') throw new ConfigError(name, unkept[1]);
  }
}
