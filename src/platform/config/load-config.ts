import { opensMetadata } from '../egress/network-list.js';
import { ConfigError } from './config-error.js';
import { warnAboutNames } from './known-names.js';
import { freezeSections, readSections } from './read-sections.js';
import { SECTIONS } from './sections.js';
import type { SandgateConfig } from './sections.js';
import { SERVICE_NAMES } from './service-names.js';
import { readTemporalClient } from './temporal.config.js';

/**
 * Reads the whole configuration from the environment. A malformed value, and a setting that this version cannot keep,
 * throw `ConfigError` naming the variable; the result is frozen.
 */
export function loadConfig(env: NodeJS.ProcessEnv): SandgateConfig {
  const config: SandgateConfig = readSections(SECTIONS, env);
  Object.assign(config.temporal, readTemporalClient(env));
  refuseUnkeptPromises(config);
  return freezeSections(config);
}

/** Warnings that do not stop the boot: unknown names and settings that deserve a second look. One sentence each. */
export function configWarnings(config: SandgateConfig, env: NodeJS.ProcessEnv): string[] {
  const warnings = warnAboutNames(env, SERVICE_NAMES);
  if (config.seal.kmsMode === 'off' && config.seal.credentialKey !== null) {
    warnings.push(
      'SERVICE_CREDENTIAL_KEY with SERVICE_KMS_MODE=off seals in the legacy form (version 1); SERVICE_KMS_MODE=static is the current one',
    );
  }
  if (config.seal.kmsMode === 'off' && config.seal.credentialKey === null) {
    warnings.push(
      'no sealing key is configured (SERVICE_KMS_MODE): tool inputs rest in clear while their approval is pending, and connections answer 503',
    );
    if (config.ledger.policyHistoryDays > 0) {
      warnings.push(
        'no sealing key is configured (SERVICE_KMS_MODE): no policy history is kept, so drafts of policies cannot be tried against past runs',
      );
    }
  }
  warnings.push(...openedTooWide(config.egress.allowCidrs));
  return warnings;
}

function openedTooWide(allowCidrs: readonly string[]): string[] {
  return opensMetadata(allowCidrs)
    ? [
        'SERVICE_EGRESS_ALLOW_CIDRS opens the metadata service of the cloud: whoever may add a connection can ask it for the credentials of this host; list narrower networks',
      ]
    : [];
}

/** The value of a required setting; throws `ConfigError` when it is unset. */
export function requireSetting<T>(value: T | null, variable: string): T {
  if (value === null) throw new ConfigError(variable, 'must be set');
  return value;
}

function refuseUnkeptPromises(config: SandgateConfig): void {
  if (config.seal.kmsMode === 'aws') {
    throw new ConfigError('SERVICE_KMS_MODE', 'asks for aws, which this version does not have; use static or off');
  }
  if (config.seal.kmsMode === 'static' && config.seal.staticKek === null) {
    throw new ConfigError('SERVICE_KMS_STATIC_KEK', 'must be set when SERVICE_KMS_MODE is static');
  }
  if (config.llm.keyMode === 'tenant') {
    throw new ConfigError('SERVICE_LLM_KEY_MODE', 'asks for tenant, which this version does not have; use shared');
  }
  if (config.notices.url !== null && config.notices.secret === null) {
    throw new ConfigError(
      'SERVICE_APPROVAL_WEBHOOK_SECRET',
      'must be set when SERVICE_APPROVAL_WEBHOOK_URL is: a notice that is not signed could come from anybody',
    );
  }
  refuseDefaultsAboveMaxima(config);
}

function refuseDefaultsAboveMaxima(config: SandgateConfig): void {
  const { defaults, maxima } = config.sandbox;
  for (const size of ['memory_mb', 'cpus', 'disk_mb', 'pids'] as const) {
    if (defaults[size] <= maxima[size]) continue;
    const variable = `SERVICE_SANDBOX_${size.toUpperCase()}`;
    throw new ConfigError(variable, `is larger than its maximum ${variable}_MAX`);
  }
}
