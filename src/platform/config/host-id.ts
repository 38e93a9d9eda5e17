import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSystemError } from '../../domain/system-error.js';
import type { SandgateConfig } from './sections.js';

/**
 * The UUID that names this host in task queues, kept in `<data>/host-id` so that a restarted worker finds its own
 * sandboxes again. The configured id wins; the file is made on the first call, mode 0600.
 */
export function ensureHostId(config: Pick<SandgateConfig, 'data'>): string {
  if (config.data.hostId !== null) return config.data.hostId;
  return ensureHostIdFile(config.data.dir);
}

export function ensureHostIdFile(dataDir: string): string {
  const path = join(dataDir, 'host-id');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (!existsSync(path)) publishOnce(path, randomUUID());
  const id = readFileSync(path, 'utf8').trim();
  if (!/^[0-9a-f-]{36}$/.test(id))
    throw new Error(`${path} does not hold a host id; delete it when no sandbox of this host lives`);
  return id;
}

/** When two processes start together, one publishes its file, and both read that one whole. */
function publishOnce(path: string, content: string): void {
  // Parts of one deployment may each be the first process of a container.
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, content, { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
