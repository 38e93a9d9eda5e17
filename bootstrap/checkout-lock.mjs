import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { BootstrapError } from './bootstrap-error.mjs';
import { cacheDir, root, say } from './processes.mjs';

const WAIT_MS = 200;
const LONGEST_WAIT_MS = 20 * 60_000;

/**
 * Runs `work` while no other bootstrap changes this checkout: two that install or build at once would take each other's
 * files away. The lock stands outside the checkout, because installing empties folders inside it.
 */
export async function withCheckoutLock(work) {
  const lock = path.join(cacheDir(), 'locks', createHash('sha256').update(root).digest('hex').slice(0, 16));
  fs.mkdirSync(path.dirname(lock), { recursive: true });
  await take(lock);
  try {
    return await work();
  } finally {
    fs.rmSync(lock, { force: true });
  }
}

async function take(lock) {
  const deadline = Date.now() + LONGEST_WAIT_MS;
  let told = false;
  while (!create(lock)) {
    const holder = readHolder(lock);
    if (holder === undefined || !isAlive(holder)) {
      fs.rmSync(lock, { force: true });
      continue;
    }
    if (!told) say(`Waiting for process ${holder}, which prepares this checkout …`);
    told = true;
    if (Date.now() > deadline)
      throw new BootstrapError(`process ${holder} has been preparing this checkout for too long; end it and try again`);
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
}

/** The file appears with its content at once, so that nobody reads an empty one and takes it for stale. */
function create(lock) {
  const draft = `${lock}.${process.pid}`;
  fs.writeFileSync(draft, String(process.pid));
  try {
    fs.linkSync(draft, lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

function readHolder(lock) {
  try {
    const pid = Number(fs.readFileSync(lock, 'utf8'));
    return pid > 0 ? pid : undefined;
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
