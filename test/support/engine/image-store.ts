import { describe } from '@jest/globals';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isSystemError } from '../../../src/domain/system-error.js';
import { PodmanService } from './podman-service.js';
import { TEST_IMAGE } from './test-image.js';

const MADE_FROM = ['deploy/images/build.mjs', 'deploy/images/prepare.sh'].map((path) => resolve(path));
/** Once for a machine; packages come from elsewhere. */
export const MAKE_WITHIN_MS = 900_000;

/** Only root may have an engine of its own here. */
export const describeWithEngine = process.getuid?.() === 0 ? describe : describe.skip;

/** An engine of a suite's own, with {@link TEST_IMAGE} on it. */
export async function startEngine(): Promise<PodmanService> {
  const store = await provideImageStore();
  return PodmanService.start(await mkdtemp(join(tmpdir(), 'sg-engine-')), { store });
}

/**
 * The images that the engines of tests use, made once for all suites of this machine, in Sandgate's cache. Nobody writes into it
 * afterwards.
 */
async function provideImageStore(): Promise<string> {
  const digest = createHash('sha256');
  for (const path of MADE_FROM) digest.update(readFileSync(path));
  const all = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sandgate', 'container-images');
  const folder = join(all, digest.digest('hex').slice(0, 16));
  const lock = `${folder}.lock`;
  await mkdir(all, { recursive: true });
  while (!existsSync(folder)) {
    if (await isTaken(lock)) await sleep(500);
    else await makeStore(folder, lock);
  }
  return folder;
}

/** Takes the lock where nobody has it, or has had it for longer than the work takes. */
async function isTaken(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return false;
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
    const since = await stat(lock).catch(() => null);
    if (since !== null && Date.now() - since.mtimeMs > MAKE_WITHIN_MS) await rm(lock, { recursive: true, force: true });
    return true;
  }
}

async function makeStore(folder: string, lock: string): Promise<void> {
  const making = await mkdtemp(`${folder}.making-`);
  try {
    await importImage(making);
    await rename(making, folder);
  } finally {
    await rm(making, { recursive: true, force: true });
    await rm(lock, { recursive: true, force: true });
  }
}

async function importImage(root: string): Promise<void> {
  await using engine = await PodmanService.start(await mkdtemp(join(tmpdir(), 'sg-image-')), { root });
  const argv = [MADE_FROM[0] ?? '', '--engine', `unix://${engine.socket}`, '--name', TEST_IMAGE, '--minimal'];
  await promisify(execFile)(process.execPath, argv, { timeout: MAKE_WITHIN_MS });
}
