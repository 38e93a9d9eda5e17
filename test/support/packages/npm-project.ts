import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PackageRegistry } from './package-registry.js';

/** What `npm ci` takes to fetch from a registry whose certificate only the project knows. */
export const INSTALL = 'npm ci --cafile=registry.crt';
/** The one dependency of the project; it says so. */
export const DEPENDENCY = 'left@1.0.0';

/**
 * Writes a project that needs one package of a registry: manifest, lock file, the registry's certificate, and a test that fails until somebody
 * repairs `total.js`.
 */
export function writeNpmProject(folder: string, registry: PackageRegistry): void {
  const [name = '', version = ''] = DEPENDENCY.split('@');
  const integrity = registry.publish({ name, version, files: { 'index.js': `module.exports = '${DEPENDENCY}';\n` } });
  const resolved = registry.archiveUrl(DEPENDENCY);
  const manifest = {
    name: 'shop',
    version: '1.0.0',
    scripts: { test: 'node --test' },
    dependencies: { [name]: version },
  };
  const lock = {
    ...{ name: 'shop', version: '1.0.0', lockfileVersion: 3, requires: true },
    packages: { '': { ...manifest }, [`node_modules/${name}`]: { version, resolved, integrity } },
  };
  mkdirSync(folder, { recursive: true });
  const files = {
    'package.json': JSON.stringify(manifest, null, 2),
    'package-lock.json': JSON.stringify(lock, null, 2),
    'registry.crt': registry.certificate,
    '.gitignore': 'node_modules\n',
    'total.js': 'module.exports = (prices) => prices.length;\n',
    'total.test.js': TEST,
  };
  for (const [path, content] of Object.entries(files)) writeFileSync(join(folder, path), content);
}

const TEST = `const test = require('node:test');
const assert = require('node:assert');
require('left');
test('adds up', () => assert.equal(require('./total.js')([2, 3]), 5));
`;
