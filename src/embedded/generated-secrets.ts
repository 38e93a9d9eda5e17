import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isSystemError } from '../domain/system-error.js';
import type { StateFolder } from './state-folder.js';

/** Makes the secrets of an installation on its first start: 0600 files that never change afterwards. */
export function generateSecrets(folder: StateFolder): void {
  ensureSecret(folder.adminToken, () => `sandgate_${randomBytes(24).toString('base64url')}`);
  ensureSecret(folder.kek, () => randomBytes(32).toString('hex'));
  ensureSecret(folder.ledgerKey, () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().trimEnd(),
  );
}

export function readSecret(path: string): string {
  return readFileSync(path, 'utf8').trimEnd();
}

/** A secret appears whole or not at all: a crash while writing must not leave half a key behind. */
export function ensureSecret(path: string, make: () => string): void {
  if (existsSync(path)) return;
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, `${make()}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (cause) {
    // Another part of the same deployment was faster; its secret is the one of both.
    if (!isSystemError(cause, 'EEXIST')) throw cause;
  } finally {
    rmSync(draft);
  }
}
