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
import { TEST_IMAGE, TOOLCHAINS_IMAGE, TOOLS_IMAGE } from './test-image.js';

const MADE_FROM = ['deploy/images/build.mjs', 'deploy/images/prepare.sh'].map((path) => resolve(path));
/** What each image has beside what no sandbox starts without. */
const PACKAGES: Record<string, string> = {
  [TEST_IMAGE]: '',
  [TOOLS_IMAGE]: 'curl,git,npm,procps,python3',
  [TOOLCHAINS_IMAGE]: 'cargo-web,curl,gcc,git,golang-go,libc6-dev,npm,procps,python3-pip,python3-venv',
};
/** Once for a machine; packages come from elsewhere. */
export const MAKE_WITHIN_MS = 900_000;

/** An engine of a suite's own, with one of the images of tests on it. */
export async function startEngine(image = TEST_IMAGE, runtime?: string): Promise<PodmanService> {
  const store = await provideImageStore(image);
  const folder = await mkdtemp(join(tmpdir(), 'sg-engine-'));
  return PodmanService.start(folder, { store, ...(runtime === undefined ? {} : { runtime }) });
}

/**
 * The images that the engines of tests use, made once for all suites of this machine, in Sandgate's cache. Nobody writes into it
 * afterwards.
 */
async function provideImageStore(image: string): Promise<string> {
  const packages = PACKAGES[image];
  if (packages === undefined) throw new Error(`the tests have no image ${image}`);
  const digest = createHash('sha256').update(packages);
  for (const path of MADE_FROM) digest.update(readFileSync(path));
  const all = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sandgate', 'container-images');
  const folder = join(all, digest.digest('hex').slice(0, 16));
  const lock = `${folder}.lock`;
  await mkdir(all, { recursive: true });
  while (!existsSync(folder)) {
    if (await isTaken(lock)) await sleep(500);
    else await makeStore(folder, lock, image);
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

async function makeStore(folder: string, lock: string, image: string): Promise<void> {
  const making = await mkdtemp(`${folder}.making-`);
  try {
    await importImage(making, image);
    await rename(making, folder);
  } finally {
    await rm(making, { recursive: true, force: true });
    await rm(lock, { recursive: true, force: true });
  }
}

async function importImage(root: string, image: string): Promise<void> {
  await using engine = await PodmanService.start(await mkdtemp(join(tmpdir(), 'sg-image-')), { root });
  const packages = PACKAGES[image] ?? '';
  const argv = [MADE_FROM[0] ?? '', '--engine', `unix://${engine.socket}`, '--name', image, '--minimal'];
  await promisify(execFile)(process.execPath, [...argv, ...(packages === '' ? [] : ['--add', packages])], {
    timeout: MAKE_WITHIN_MS,
  });
}
