import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** The reference server of MCP. */
export const EVERYTHING = 'npm:@modelcontextprotocol/server-everything@2026.8.31';

/** Fetched once for all runs of suites on a machine, outside the checkout. */
const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'sandgate-tests');

/** @returns a folder of tools, to copy into a state folder, in which {@link EVERYTHING} is installed */
export async function installedTools(): Promise<string> {
  mkdirSync(CACHE, { recursive: true });
  const argv = [resolve('dist/cli/main.js'), '--data-dir', CACHE, 'tools', 'install', EVERYTHING];
  await promisify(execFile)(process.execPath, argv, { timeout: 240_000 });
  return join(CACHE, 'tools');
}
