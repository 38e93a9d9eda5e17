/**
 * Builds dist/: the compiled sources and the SQL files under the same paths as in the tree, the seeded policies, the pinned harness
 * programs, the interface description, and the bundles of the runner, the unpackers, the programs and the workflows. Leaves dist/.stamp, the
 * digest of what was built, so that an unchanged tree is not built again.
 */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceDigest } from '../bootstrap/source-digest.mjs';
import { buildTree, dist, root, run } from './build-tree.mjs';

const digest = sourceDigest(root);
rmSync(join(dist, '.stamp'), { force: true });
buildTree('src', 'migrations');
for (const folder of ['policies', 'harnesses']) cpSync(join(root, folder), join(dist, folder), { recursive: true });
run('build/bundle-runner.mjs');
run('build/bundle-unpacker.mjs');
run('dist/src/api/generate-openapi.js', '--build');
run('build/bundle-programs.mjs');
run('dist/src/worker/bundle-workflows.js');
writeFileSync(join(dist, '.stamp'), `${digest}\n`);
