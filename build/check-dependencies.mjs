/**
 * Compares docs/dependencies.md with both package.json: every dependency has its reason, and every reason a dependency. The documents
 * service declares what it imports in the control plane's version, and has no packages of its own place: its built code in
 * dist/documents would not see them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const MODULES = 'documents/node_modules';

const versionsOf = (manifest) => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(manifest, 'utf8'));
  return { ...dependencies, ...devDependencies };
};
const root = versionsOf('package.json');
const documents = versionsOf('documents/package.json');
const used = [...new Set([...Object.keys(root), ...Object.keys(documents)])];

const reasons = new Map();
for (const line of readFileSync('docs/dependencies.md', 'utf8').split('\n')) {
  const [, name, reason] = line.match(/^\| `([^`]+)` *\|(.*)\|$/) ?? [];
  if (name !== undefined) reasons.set(name, reason.trim());
}

const page = [
  ...used.filter((name) => !reasons.get(name)).map((name) => `${name} has no reason`),
  ...[...reasons.keys()].filter((name) => !used.includes(name)).map((name) => `${name} is in no package.json`),
];
const apart = Object.keys(documents)
  .filter((name) => name in root && root[name] !== documents[name])
  .map((name) => `${name} is ${documents[name]} here and ${root[name]} in package.json: take that one`);
const inside = existsSync(MODULES) ? readdirSync(MODULES) : [];
const faults = [
  ...page.map((fault) => `docs/dependencies.md: ${fault}`),
  ...apart.map((fault) => `documents/package.json: ${fault}`),
  ...inside.map((name) => `${MODULES}/${name}: what is built in dist/documents would not see it; agree on one version`),
];
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);
