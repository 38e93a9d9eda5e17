import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Everything that the build reads. */
const SOURCES = ['src', 'migrations', 'policies', 'harnesses', 'build', '.swcrc', 'package-lock.json'];

/** What the build of the documents service reads beside them, because it imports from the control plane's. */
const DOCUMENTS = [...SOURCES, 'documents/src', 'documents/migrations'];

/** One digest over the names and contents of all that the build reads. */
export function sourceDigest(root) {
  return digestOf(root, SOURCES);
}

/** The same for the build of the documents service. */
export function documentsDigest(root) {
  return digestOf(root, DOCUMENTS);
}

function digestOf(root, sources) {
  const hash = createHash('sha256').update(process.version);
  for (const source of sources) addPath(hash, root, source);
  return hash.digest('hex');
}

export function fileDigest(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function addPath(hash, root, path) {
  const entry = statSync(join(root, path), { throwIfNoEntry: false });
  if (entry === undefined) return;
  if (entry.isDirectory()) {
    for (const name of readdirSync(join(root, path)).sort()) addPath(hash, root, `${path}/${name}`);
    return;
  }
  if (path.endsWith('.spec.ts')) return;
  hash.update(`${path}\0${fileDigest(join(root, path))}\0`);
}
