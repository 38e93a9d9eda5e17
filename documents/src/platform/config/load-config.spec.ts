import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { settingsOf } from '../../../../src/platform/config/setting.js';
import { ConfigError, configWarnings, describeConfig, loadConfig, renderConfigurationDocument } from './index.js';
import { SECTIONS } from './sections.js';

describe('the configuration of the documents service', () => {
  it('has a default for everything, and names every setting of its own DOCSVC_*', () => {
    const config = loadConfig({ XDG_STATE_HOME: '/var/state' });
    expect(config.http.bind).toEqual({ host: '127.0.0.1', port: 8790 });
    expect(config.temporal.namespace).toBe('docsvc');
    expect(config.temporal.address).toBe('127.0.0.1:7233');
    expect(config.parsing.maxParseBytes).toBe(2 * 1024 ** 3);
    expect(Object.isFrozen(config) && Object.isFrozen(config.store)).toBe(true);
    const variables = Object.values(SECTIONS).flatMap((section) => settingsOf(section).map(({ variable }) => variable));
    expect(variables.filter((name) => !/^DOCSVC_[A-Z0-9_]+$/.test(name))).toEqual([]);
    expect(new Set(variables).size).toBe(variables.length);
  });

  it('keeps documents below the data folder unless told otherwise', () => {
    expect(loadConfig({ DOCSVC_DATA_DIR: '/srv/docsvc' }).store.root).toBe('/srv/docsvc/blobs');
    expect(loadConfig({ DOCSVC_DATA_DIR: '/srv/docsvc', DOCSVC_FS_ROOT: '/mnt/blobs' }).store.root).toBe('/mnt/blobs');
  });

  it('DI-002 takes nothing that is the control plane’s: neither its database nor its namespace', () => {
    const config = loadConfig({
      DATABASE_URL: 'postgres://control/plane',
      TEMPORAL_NAMESPACE: 'control',
      SERVICE_BIND: '127.0.0.1:1',
      DOCSVC_TEMPORAL_ADDRESS: 'temporal.example:7233',
      TEMPORAL_ADDRESS: 'other.example:7233',
    });
    expect(config.database.url).toBeNull();
    expect(config.temporal.namespace).toBe('docsvc');
    expect(config.temporal.connection.address).toBe('temporal.example:7233');
    expect(config.http.bind.port).toBe(8790);
  });

  it.each([
    ['DOCSVC_STORE', 's3', 'use fs'],
    ['DOCSVC_S3_BUCKET', 'mine', 'documents would lie on this host'],
    ['DOCSVC_OIDC_ISSUER', 'https://id.example', 'identity provider'],
    ['DOCSVC_SEAL_KEY', 'short', '32 bytes'],
    ['DOCSVC_BIND', '8790', 'host:port'],
    ['DOCSVC_FS_ROOT', 'blobs', 'an absolute path'],
    ['DOCSVC_DATABASE_URL', 'mysql://x', 'postgres://'],
  ])('refuses %s=%s, names it and says what to do', (variable, value, words) => {
    expect(() => loadConfig({ [variable]: value })).toThrow(ConfigError);
    expect(() => loadConfig({ [variable]: value })).toThrow(variable);
    expect(() => loadConfig({ [variable]: value })).toThrow(words);
  });

  it('warns about a name that nothing reads, with the nearest known one, and about one of a later version', () => {
    const env = { DOCSVC_PUBLIC_URI: 'x', DOCSVC_LLM_MODEL: 'm', DOCSVC_DEFAULTS_OUTPUT: 'json', DOCSVC_TOKEN: 't' };
    const warnings = configWarnings(loadConfig({ DOCSVC_SEAL_KEY: '0'.repeat(64) }), env);
    expect(warnings).toEqual([
      'DOCSVC_PUBLIC_URI is not known and has no effect; the nearest known name is DOCSVC_PUBLIC_URL',
      'DOCSVC_LLM_MODEL is set but has no effect in this version',
    ]);
  });

  it('shows a secret as a digest only', () => {
    const env = { DOCSVC_SEAL_KEY: 'ab'.repeat(32) };
    const shown = describeConfig(loadConfig(env), env).find(({ variable }) => variable === 'DOCSVC_SEAL_KEY');
    expect(shown).toMatchObject({ source: 'environment', value: expect.stringMatching(/^sha256:[0-9a-f]{12}$/) });
  });

  it('is described by documents/docs/configuration.md as it is', () => {
    expect(readFileSync('documents/docs/configuration.md', 'utf8')).toBe(renderConfigurationDocument());
  });
});
