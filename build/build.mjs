/**
 * Builds dist/: the compiled sources and the SQL files under the same paths as in the tree, the seeded policies, the pinned harness
 * programs, and the bundles of the runner, the unpackers, the API and the workflows. Leaves dist/.stamp, the digest of what was built, so that an
 * unchanged tree is not built again.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceDigest } from '../bootstrap/source-digest.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

const digest = sourceDigest(root);
// What runs from dist/ goes on running: files are replaced, and only those without a source any more are removed.
mkdirSync(dist, { recursive: true });
rmSync(join(dist, '.stamp'), { force: true });
run('node_modules/@swc/cli/bin/swc.js', 'src', 'migrations', '-d', 'dist', '--ignore', '**/*.spec.ts', '--quiet');
cpSync(join(root, 'migrations'), join(dist, 'migrations'), {
  recursive: true,
  filter: (path) => !path.endsWith('.ts'),
});
for (const tree of ['src', 'migrations']) prune(tree);
for (const folder of ['policies', 'harnesses']) cpSync(join(root, folder), join(dist, folder), { recursive: true });
run('build/bundle-runner.mjs');
run('build/bundle-unpacker.mjs');
run('build/bundle-api.mjs');
run('dist/src/worker/bundle-workflows.js');
writeFileSync(join(dist, '.stamp'), `${digest}\n`);

function prune(folder) {
  for (const entry of readdirSync(join(dist, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const source = path.replace(/\.js(\.map)?$/, '.ts');
    if (!existsSync(join(root, source))) rmSync(join(dist, path), { recursive: true });
    else if (entry.isDirectory()) prune(path);
  }
}

function run(script, ...argv) {
  if (!existsSync(join(root, script))) fail(`${script} is missing`);
  const { status, error } = spawnSync(process.execPath, [script, ...argv], { cwd: root, stdio: 'inherit' });
  if (status !== 0) fail(`${script} failed${error === undefined ? '' : `: ${error.message}`}`);
}

function fail(reason) {
  process.stderr.write(`build: ${reason}\n`);
  process.exit(1);
}
