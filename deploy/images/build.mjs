/**
 * Makes the image of sandboxes on a container engine without any registry: a root file system of this system's packages, which the engine
 * imports. `base.Dockerfile` makes the same where images can be pulled.
 *
 *   node deploy/images/build.mjs [--engine unix:///path] [--name image:tag] [--add package,package] [--minimal]
 *
 * `--add` names packages of this system, such as compilers of the languages of your repositories. `npm` is this machine's own, which every
 * image has but a minimal one.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { npmFolder } from './npm-folder.mjs';
import { importImage, makeRootFileSystem, socketOf } from './root-file-system.mjs';

const HERE = import.meta.dirname;
const LABEL = 'LABEL sandgate.image=1';
/** Without them no sandbox starts. */
const NEEDED = ['catatonit', 'ca-certificates'];

const { values: options } = parseArgs({
  options: {
    engine: { type: 'string' },
    name: { type: 'string', default: 'localhost/sandgate-sandbox:1' },
    add: { type: 'string', default: '' },
    minimal: { type: 'boolean', default: false },
  },
});

const socketPath = socketOf(options.engine);
const listed = options.minimal ? NEEDED : readFileSync(path.join(HERE, 'packages.txt'), 'utf8').split('\n');
const wanted = [...listed, ...options.add.split(',')].map((name) => name.trim()).filter(Boolean);
const made = makeRootFileSystem(
  wanted.filter((name) => name !== 'npm'),
  [
    ...(options.minimal && !wanted.includes('npm') ? [] : npmHooks()),
    `copy-in ${path.join(HERE, 'prepare.sh')} /tmp`,
    'chroot "$1" sh /tmp/prepare.sh && rm "$1/tmp/prepare.sh"',
  ],
);
await importImage(socketPath, made.stdout, options.name, [LABEL]);
await made.ended;
process.stdout.write(`${options.name} is ready on ${socketPath}\n`);

/** Debian's npm runs on Debian's Node alone, and sandboxes have Sandgate's. */
function npmHooks() {
  const folder = npmFolder();
  return ['mkdir -p "$1/usr/local/lib/node_modules"', `copy-in '${folder}' /usr/local/lib/node_modules`];
}
