import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

const INSTALL_WITHIN_MS = 300_000;
const PYTHON = process.env['PYTHON'] ?? 'python3';
const run = promisify(execFile);

/** Whether this machine has a Python that can make virtual environments; the tests need nothing but Node otherwise. */
export function hasPython(): boolean {
  return spawnSync(PYTHON, ['-c', 'import venv, ensurepip'], { stdio: 'ignore', timeout: 30_000 }).status === 0;
}

/**
 * The interpreter of a virtual environment that holds exactly the packages of a file of pins; made once for all suites of this
 * machine, in Sandgate's cache.
 */
export async function providePython(pins: string): Promise<string> {
  const digest = createHash('sha256')
    .update(await readFile(pins))
    .digest('hex')
    .slice(0, 16);
  const kept = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sandgate', 'test-python');
  const folder = join(kept, `${basename(pins, '.requirements.txt')}-${digest}`);
  const python = join(folder, 'bin', 'python');
  if (existsSync(python)) return python;
  const making = `${folder}.${process.pid}`;
  await mkdir(kept, { recursive: true });
  await run(PYTHON, ['-m', 'venv', making], { timeout: INSTALL_WITHIN_MS });
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', pins];
  await run(join(making, 'bin', 'python'), pip, { timeout: INSTALL_WITHIN_MS });
  try {
    await rename(making, folder);
  } catch (error) {
    // Another suite was faster.
    await rm(making, { recursive: true, force: true });
    if (!existsSync(python)) throw error;
  }
  return python;
}
