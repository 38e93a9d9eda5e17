/**
 * `npm run bench`: compiles the benchmark beside the built product and runs it. One JSON document on stdout, progress on stderr.
 * `npm run bench:peers` measures other people's programs instead (`--peers`).
 * `npm run bench -- permission ledger-append` measures those rows only; `--full` all trials; `--quick` shows that it works.
 */
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

run(['node_modules/@swc/cli/bin/swc.js', 'test/bench', 'test/support', '-d', 'dist', '--quiet'], ['ignore', 2, 2]);
const given = process.argv.slice(2).filter((word) => word !== '--peers');
const entry = process.argv.includes('--peers') ? 'dist/test/bench/peers/main.js' : 'dist/test/bench/main.js';
run(['--enable-source-maps', entry, ...given], ['ignore', 'inherit', 'inherit']);

function run(argv, stdio) {
  const { status, signal } = spawnSync(process.execPath, argv, { cwd: root, stdio });
  if (status !== 0) process.exit(signal === null ? (status ?? 1) : 1);
}
