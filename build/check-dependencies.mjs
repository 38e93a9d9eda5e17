/** Compares docs/dependencies.md with package.json: every dependency has its reason, and every reason a dependency. */
import { readFileSync } from 'node:fs';

const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const used = Object.keys({ ...dependencies, ...devDependencies });

const reasons = new Map();
for (const line of readFileSync('docs/dependencies.md', 'utf8').split('\n')) {
  const [, name, reason] = line.match(/^\| `([^`]+)` *\|(.*)\|$/) ?? [];
  if (name !== undefined) reasons.set(name, reason.trim());
}

const faults = [
  ...used.filter((name) => !reasons.get(name)).map((name) => `${name} has no reason`),
  ...[...reasons.keys()].filter((name) => !used.includes(name)).map((name) => `${name} is not in package.json`),
];
for (const fault of faults) console.error(`docs/dependencies.md: ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);
