import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../', import.meta.url));
export const dist = join(root, 'dist');

/**
 * Compiles folders of the tree into dist/, each under the same path, and copies their SQL. What runs from dist/ goes on running: files
 * are replaced, and only those without a source any more are removed.
 */
export function buildTree(...folders) {
  mkdirSync(dist, { recursive: true });
  run('node_modules/@swc/cli/bin/swc.js', ...folders, '-d', 'dist', '--ignore', '**/*.spec.ts', '--quiet');
  for (const folder of folders) {
    for (const file of globSync(`${folder}/**/*.sql`, { cwd: root })) {
      mkdirSync(dirname(join(dist, file)), { recursive: true });
      copyFileSync(join(root, file), join(dist, file));
    }
    prune(folder);
  }
}

/** Runs a script of the tree to its end; a build whose step fails is over. */
export function run(script, ...argv) {
  if (!existsSync(join(root, script))) fail(`${script} is missing`);
  const { status, error } = spawnSync(process.execPath, [script, ...argv], { cwd: root, stdio: 'inherit' });
  if (status !== 0) fail(`${script} failed${error === undefined ? '' : `: ${error.message}`}`);
}

function prune(folder) {
  for (const entry of readdirSync(join(dist, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const source = path.replace(/\.js(\.map)?$/, '.ts');
    if (!existsSync(join(root, source))) rmSync(join(dist, path), { recursive: true });
    else if (entry.isDirectory()) prune(path);
  }
}

function fail(reason) {
  process.stderr.write(`build: ${reason}\n`);
  process.exit(1);
}
