import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { SAMPLE_FILES } from './scenario.js';

const GIT_TIMEOUT_MS = 30_000;

/** Writes the sample project as a git repository with one commit, untouched by the user's own git settings. */
export async function createSampleProject(folder: string): Promise<void> {
  for (const [path, content] of Object.entries(SAMPLE_FILES)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    if (path.endsWith('.sh')) chmodSync(file, 0o755);
  }
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  const identity = [
    '-c',
    'user.name=Sandgate demo',
    '-c',
    'user.email=demo@sandgate.invalid',
    '-c',
    'commit.gpgsign=false',
  ];
  for (const argv of [
    ['init', '--quiet', '--initial-branch=main'],
    ['add', '--all'],
    [...identity, 'commit', '--quiet', '-m', 'Invoice totals'],
  ]) {
    await promisify(execFile)('git', argv, { cwd: folder, env, timeout: GIT_TIMEOUT_MS });
  }
}
