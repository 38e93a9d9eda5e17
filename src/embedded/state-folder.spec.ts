import { createPrivateKey } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateSecrets, readSecret } from './generated-secrets.js';
import { choosePorts, tryPort } from './ports.js';
import { serviceEnvironment } from './service-environment.js';
import { openStateFolder } from './state-folder.js';
import { loadConfig } from '../platform/config/index.js';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'sandgate-state-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

describe('the state folder', () => {
  it('belongs to its owner alone, whatever it was before', () => {
    chmodSync(dir, 0o755);
    openStateFolder(dir);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
  });

  it('is refused when its path is too long for the sockets inside it', () => {
    expect(() => openStateFolder(`/tmp/${'x'.repeat(60)}`)).toThrow('SERVICE_DATA_DIR');
  });

  it('gets secrets once, mode 0600, of the right kinds', () => {
    const folder = openStateFolder(dir);
    generateSecrets(folder);
    const first = readSecret(folder.adminToken);
    generateSecrets(folder);
    expect(readSecret(folder.adminToken)).toBe(first);
    expect(readSecret(folder.kek)).toMatch(/^[0-9a-f]{64}$/);
    expect(createPrivateKey(readFileSync(folder.ledgerKey)).asymmetricKeyType).toBe('ed25519');
    for (const path of [folder.adminToken, folder.kek, folder.ledgerKey])
      expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('remembers its ports and leaves one that somebody else took', async () => {
    const { ports } = openStateFolder(dir);
    const first = await choosePorts(ports);
    expect(new Set(Object.values(first)).size).toBe(3);
    expect(await choosePorts(ports)).toEqual(first);
    expect(await tryPort(first.api)).toBe(first.api);
  });

  it('hands secrets to the services by file, never by value', () => {
    const folder = openStateFolder(dir);
    generateSecrets(folder);
    const config = loadConfig({});
    const env = serviceEnvironment({}, config, folder, {
      databaseUrl: 'postgres://x@/y',
      temporalAddress: null,
      temporalWebUrl: null,
      bind: '127.0.0.1:1',
    });
    const values = Object.values(env).join('\n');
    for (const path of [folder.adminToken, folder.kek, folder.ledgerKey])
      expect(values).not.toContain(readSecret(path));
    expect(loadConfig(env).auth.adminToken).toBe(readSecret(folder.adminToken));
    expect(loadConfig(env).seal.kmsMode).toBe('static');
  });
});
