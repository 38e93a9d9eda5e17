import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ConfigError, configWarnings, loadConfig } from './index.js';
import { SECTIONS } from './sections.js';
import { settingsOf } from './setting.js';

const folder = mkdtempSync(join(tmpdir(), 'sandgate-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('loadConfig', () => {
  it('gives every default on an empty environment, frozen', () => {
    const config = loadConfig({});
    expect(config.http.bind).toEqual({ host: '127.0.0.1', port: 8787 });
    expect(config.http.internalBind).toBeNull();
    expect(config.http.maxRequestBodyBytes).toBe(2_097_152);
    expect(config.sandbox.defaults).toEqual({ memory_mb: 2048, cpus: 2, disk_mb: 4096, pids: 512 });
    expect(config.temporal.address).toBe('127.0.0.1:7233');
    expect(config.temporal.namespace).toBe('default');
    expect(Object.isFrozen(config) && Object.isFrozen(config.http)).toBe(true);
  });

  it('CP-001 names every setting of its own SERVICE_*, besides the standard names of PostgreSQL, Temporal and the model providers', () => {
    const foreign = Object.values(SECTIONS)
      .flatMap((section) => settingsOf(section))
      .map((entry) => entry.variable)
      .filter((name) => !/^SERVICE_[A-Z0-9_]+$/.test(name));
    expect(foreign).toEqual(['DATABASE_URL', 'TEMPORAL_ADDRESS', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY']);
  });

  it('CP-055 CP-056 is single-admin when SERVICE_REQUIRE_SSO is unset', () => {
    expect(loadConfig({}).auth.requireSso).toBe(false);
  });

  it('CP-062 uses the one shared model key unless told otherwise', () => {
    expect(loadConfig({}).llm.keyMode).toBe('shared');
    expect(loadConfig({ SERVICE_LLM_KEY_MODE: 'shared' }).llm.keyMode).toBe('shared');
  });

  it.each([
    ['SERVICE_BIND', '8787'],
    ['SERVICE_BIND', '127.0.0.1:70000'],
    ['SERVICE_MAX_REQUEST_BODY_BYTES', '1023'],
    ['SERVICE_MAX_REQUEST_BODY_BYTES', '2MiB'],
    ['SERVICE_RECORD_AGENT_MESSAGES', 'yes'],
    ['SERVICE_DATA_DIR', 'data'],
    ['SERVICE_PROVIDER', 'kubernetes'],
    ['SERVICE_DOCKER_HOST', 'tcp://127.0.0.1:2375'],
    ['SERVICE_DOCKER_HOST', 'unix://docker.sock'],
    ['SERVICE_KMS_MODE', 'vault'],
    ['SERVICE_KMS_STATIC_KEK', 'short'],
    ['DATABASE_URL', 'mysql://x'],
    ['SERVICE_LLM_ANTHROPIC_URL', 'ftp://x'],
    ['SERVICE_LOCAL_COPY_ROOTS', 'home'],
    ['SERVICE_ADMIN_TOKEN', 'short'],
    ['SERVICE_LLM_KEY_MODE', 'tenant'],
  ])('refuses %s=%s and names it', (variable, value) => {
    expect(() => loadConfig({ [variable]: value })).toThrow(ConfigError);
    expect(() => loadConfig({ [variable]: value })).toThrow(variable);
  });

  it.each(['kubernetes', 'k8s', 'chroot'])('refuses the sandbox provider %s with what to do', (provider) => {
    expect(() => loadConfig({ SERVICE_PROVIDER: provider })).toThrow(ConfigError);
    expect(() => loadConfig({ SERVICE_PROVIDER: provider })).toThrow(
      /SERVICE_PROVIDER.*`auto` or `bubblewrap` or `docker`/,
    );
  });

  it('refuses aws and a static mode without its key', () => {
    expect(() => loadConfig({ SERVICE_KMS_MODE: 'aws' })).toThrow('SERVICE_KMS_MODE asks for aws');
    expect(() => loadConfig({ SERVICE_KMS_MODE: 'static' })).toThrow('SERVICE_KMS_STATIC_KEK must be set');
  });

  it('refuses a sandbox default above its maximum', () => {
    expect(() => loadConfig({ SERVICE_SANDBOX_PIDS: '600', SERVICE_SANDBOX_PIDS_MAX: '500' })).toThrow(
      'SERVICE_SANDBOX_PIDS is larger',
    );
  });

  it('reads a value from the file that <name>_FILE names, without its last line break', () => {
    const path = join(folder, 'token');
    writeFileSync(path, 'a-token-of-twenty-chars\n');
    expect(loadConfig({ SERVICE_ADMIN_TOKEN_FILE: path }).auth.adminToken).toBe('a-token-of-twenty-chars');
    expect(() => loadConfig({ SERVICE_ADMIN_TOKEN_FILE: join(folder, 'absent') })).toThrow('SERVICE_ADMIN_TOKEN_FILE');
    expect(() => loadConfig({ SERVICE_ADMIN_TOKEN_FILE: path, SERVICE_ADMIN_TOKEN: 'x' })).toThrow('both set');
  });

  it('never puts the refused value of a secret into the message', () => {
    expect(() => loadConfig({ SERVICE_KMS_STATIC_KEK: 'canary-value' })).not.toThrow('canary-value');
  });

  it('takes the standard Temporal client environment', () => {
    const config = loadConfig({
      TEMPORAL_ADDRESS: 'temporal.example:7233',
      TEMPORAL_NAMESPACE: 'team',
      TEMPORAL_API_KEY: 'k',
    });
    expect(config.temporal.address).toBe('temporal.example:7233');
    expect(config.temporal.namespace).toBe('team');
    expect(config.temporal.connection.apiKey).toBe('k');
  });

  it('warns about an unknown SERVICE_ name with the nearest known one, and about one without effect', () => {
    const env = {
      SERVICE_BINDD: 'x',
      SERVICE_WEB_MODE: 'admin',
      SERVICE_ADMIN_TOKEN: 'a-token-of-twenty-chars',
    };
    const warnings = configWarnings(loadConfig({}), env);
    expect(warnings).toContainEqual(expect.stringContaining('SERVICE_BINDD is not known'));
    expect(warnings).toContainEqual(expect.stringContaining('nearest known name is SERVICE_BIND'));
    expect(warnings).toContainEqual('SERVICE_WEB_MODE is set but has no effect in this version');
    expect(warnings.join()).not.toContain('SERVICE_ADMIN_TOKEN');
  });
});
