import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';

const run = promisify(execFile);
const PROGRAMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const INSTALL_WITHIN_MS = 240_000;

/** A real headless Chromium: the machine's own, or Debian's, installed once. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = (await find()) ?? (await install());
  // The tests drive pages of their own on this machine; a container's root has no user namespaces to give to the browser.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

async function find(): Promise<string | null> {
  for (const program of PROGRAMS) {
    const found = await run('/bin/sh', ['-c', `command -v ${program}`]).catch(() => null);
    if (found !== null) return found.stdout.trim();
  }
  return null;
}

async function install(): Promise<string> {
  const prefix = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const apt = async (...argv: string[]): Promise<void> => {
    const [program = 'apt-get', ...rest] = [...prefix, 'apt-get', ...argv];
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await run(program, rest, { env, timeout: INSTALL_WITHIN_MS, maxBuffer: 64 * 1024 * 1024 });
  };
  const packages = ['install', '-y', '-q', '--no-install-recommends', 'chromium-headless-shell'];
  await apt(...packages).catch(async () => {
    await apt('update', '-q');
    await apt(...packages);
  });
  const found = await find();
  if (found === null) throw new Error('the tests of connecting need Chromium: apt-get install chromium-headless-shell');
  return found;
}
