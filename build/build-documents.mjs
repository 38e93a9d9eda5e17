/**
 * Builds dist/documents: the compiled sources and the SQL files of documents/ under the same paths as in the tree, beside those of the
 * control plane, from which they import, the programs that run in a jail, the interface description, and the bundles of the programs and
 * the workflows. Leaves dist/documents/.stamp, the digest of what was built.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentsDigest } from '../bootstrap/source-digest.mjs';
import { buildTree, dist, root, run } from './build-tree.mjs';

const stamp = join(dist, 'documents', '.stamp');

const digest = documentsDigest(root);
rmSync(stamp, { force: true });
buildTree('documents/src', 'documents/migrations');
run('build/bundle-parsers.mjs');
run('dist/documents/src/api/generate-openapi.js', '--build');
run('build/bundle-programs.mjs', 'dist/documents');
run('dist/documents/src/worker/bundle-workflows.js');
writeFileSync(stamp, `${digest}\n`);
