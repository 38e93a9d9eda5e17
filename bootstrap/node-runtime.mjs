import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { BootstrapError } from './bootstrap-error.mjs';
import { cacheDir, capture, reasonOf, say } from './processes.mjs';

const MAJOR = 24;

/** A Node that is new enough: this one, one that was brought before, or the npm package `node` of that version. */
export function ensureNode() {
  if (Number(process.versions.node.split('.')[0]) >= MAJOR) return process.execPath;
  const home = path.join(cacheDir(), `node-${MAJOR}`);
  return findNode(home) || bringNode(home);
}

function bringNode(home) {
  say(`This machine has Node ${process.versions.node}; getting Node ${MAJOR} from npm (once, about 10 s) …`);
  const draft = `${home}.${process.pid}`;
  const reasons = [];
  for (const [pkg, scripts] of candidates()) {
    fs.rmSync(draft, { recursive: true, force: true });
    fs.mkdirSync(draft, { recursive: true });
    const flags = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error', scripts];
    const result = capture('npm', ['install', '--prefix', draft, ...flags, pkg], { cwd: draft });
    if (result.ok && findNode(draft)) return adopt(draft, home);
    reasons.push(`${pkg}: ${reasonOf(result)}`);
  }
  fs.rmSync(draft, { recursive: true, force: true });
  throw new BootstrapError(
    `Node ${MAJOR} is needed, this is ${process.versions.node}, and npm could not bring it (${reasons.join('; ')}); install Node ${MAJOR} and run the command again with it`,
  );
}

/** The package of this platform needs no install script; `node` itself does, and knows more platforms. */
function candidates() {
  return [
    [`node-${process.platform}-${process.arch}@${MAJOR}`, '--ignore-scripts'],
    [`node@${MAJOR}`, '--ignore-scripts=false'],
  ];
}

/** Two bootstraps may do this at once: whoever comes second uses what the first one put there. */
function adopt(draft, home) {
  try {
    fs.renameSync(draft, home);
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    if (!findNode(home)) {
      fs.rmSync(home, { recursive: true, force: true });
      fs.renameSync(draft, home);
    }
    fs.rmSync(draft, { recursive: true, force: true });
  }
  return findNode(home);
}

function findNode(home) {
  const modules = path.join(home, 'node_modules');
  const platform = `node-${process.platform}-${process.arch}`;
  const places = [
    path.join(modules, platform, 'bin', 'node'),
    path.join(modules, 'node', 'node_modules', platform, 'bin', 'node'),
    path.join(modules, 'node', 'bin', 'node'),
  ];
  return places.find((place) => capture(place, ['--version']).stdout.startsWith(`v${MAJOR}.`));
}
