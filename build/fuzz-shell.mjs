/**
 * `npm run fuzz:shell`: compiles the generators and the oracle of shell lines beside the built product and runs slices of them; see
 * test/support/shell/campaign.ts for its options.
 */
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

run(['node_modules/@swc/cli/bin/swc.js', 'test/support', '-d', 'dist', '--quiet']);
run(['--enable-source-maps', 'dist/test/support/shell/campaign.js', ...process.argv.slice(2)]);

function run(argv) {
  const { status } = spawnSync(process.execPath, argv, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
