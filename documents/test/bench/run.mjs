/**
 * `npm run bench -w documents -- search FOLDER`: compiles the benchmarks beside the built product and measures the named rows; FOLDER has
 * the documents that are searched. One JSON document on stdout, progress on stderr.
 * `npm run bench:peers -w documents -- FOLDER` measures other people's programs beside ours instead (`--peers`).
 */
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const sources = ['documents/test/bench', 'documents/test/support', 'test/bench', 'test/support'];

run(['node_modules/@swc/cli/bin/swc.js', ...sources, '-d', 'dist', '--quiet'], ['ignore', 2, 2]);
const memory = '--max-old-space-size=6000';
const given = process.argv.slice(2).filter((word) => word !== '--peers');
const entry = `dist/documents/test/bench/${process.argv.includes('--peers') ? 'peers/main.js' : 'main.js'}`;
run(['--enable-source-maps', memory, entry, ...given], ['ignore', 'inherit', 'inherit']);

function run(argv, stdio) {
  const { status, signal } = spawnSync(process.execPath, argv, { cwd: root, stdio });
  if (status !== 0) process.exit(signal === null ? (status ?? 1) : 1);
}
