/**
 * Builds dist/: the compiled sources under the same paths as in the tree, the seeded policies, the runner's bundle and the
 * workflow bundle. Leaves dist/.stamp, the digest of what was built, so that an unchanged tree is not built again.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceDigest } from '../bootstrap/source-digest.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

const digest = sourceDigest(root);
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
run('node_modules/@swc/cli/bin/swc.js', 'src', 'migrations', '-d', 'dist', '--ignore', '**/*.spec.ts', '--quiet');
cpSync(join(root, 'policies'), join(dist, 'policies'), { recursive: true });
run('build/bundle-runner.mjs');
run('dist/src/worker/bundle-workflows.js');
writeFileSync(join(dist, '.stamp'), `${digest}\n`);

function run(script, ...argv) {
  if (!existsSync(join(root, script))) fail(`${script} is missing`);
  const { status, error } = spawnSync(process.execPath, [script, ...argv], { cwd: root, stdio: 'inherit' });
  if (status !== 0) fail(`${script} failed${error === undefined ? '' : `: ${error.message}`}`);
}

function fail(reason) {
  process.stderr.write(`build: ${reason}\n`);
  process.exit(1);
}
