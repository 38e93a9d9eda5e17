/**
 * Makes the image of sandboxes on a container engine without any registry: a root file system of this system's packages, which the engine
 * imports. `base.Dockerfile` makes the same where images can be pulled.
 *
 *   node deploy/images/build.mjs [--engine unix:///path] [--name image:tag] [--add package,package] [--minimal]
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import process from 'node:process';
import { URLSearchParams } from 'node:url';
import { parseArgs } from 'node:util';

const HERE = import.meta.dirname;
const SOCKETS = ['/var/run/docker.sock', '/run/podman/podman.sock'];
const LABEL = 'LABEL sandgate.image=1';
/** Without them no sandbox starts. */
const NEEDED = ['catatonit', 'ca-certificates'];
/** Read by nobody in a sandbox. */
const LEFT_OUT = ['/usr/share/doc/*', '/usr/share/man/*', '/usr/share/info/*', '/usr/share/locale/*'];

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
const packages = [...listed, ...options.add.split(',')].map((name) => name.trim()).filter(Boolean);
const made = makeRootFileSystem(packages);
await importImage(made.stdout, options.name);
await made.ended;
process.stdout.write(`${options.name} is ready on ${socketPath}\n`);

function socketOf(engine) {
  const found = engine?.replace(/^unix:\/\//, '') ?? SOCKETS.find((one) => existsSync(one));
  if (found === undefined || !existsSync(found))
    fail(
      `no container engine was found at ${engine ?? SOCKETS.join(' or ')}; name its socket with --engine unix:///path`,
    );
  return found;
}

/** Packages come from where this system's own come from. */
function makeRootFileSystem(names) {
  const argv = [
    '--variant=minbase',
    '--format=tar',
    '--quiet',
    `--include=${names.join(',')}`,
    '--aptopt=APT::Install-Recommends "false"',
    ...LEFT_OUT.map((glob) => `--dpkgopt=path-exclude=${glob}`),
    `--customize-hook=copy-in ${path.join(HERE, 'prepare.sh')} /tmp`,
    '--customize-hook=chroot "$1" sh /tmp/prepare.sh && rm "$1/tmp/prepare.sh"',
    release(),
    '-',
    ...sources(),
  ];
  const child = spawn('mmdebstrap', argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve, reject) => {
    child.once('error', () => reject(new Error('mmdebstrap is not installed; install the package mmdebstrap')));
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`mmdebstrap ended with exit code ${code}`)),
    );
  });
  // Whoever waits for it does so when the import is over.
  ended.catch((error) => fail(error.message));
  return { stdout: child.stdout, ended };
}

function release() {
  const codename = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
  return (
    codename ??
    fail('the release of this system is not known; base.Dockerfile makes the image where images can be pulled')
  );
}

function sources() {
  const found = ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list'].find((one) => existsSync(one));
  return found === undefined ? fail('this system has no sources of Debian packages') : [found];
}

function importImage(body, name) {
  // The tag stands in the name, because Podman overlooks it as a member of its own.
  const query = new URLSearchParams({ fromSrc: '-', repo: name, changes: LABEL });
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-tar', 'transfer-encoding': 'chunked' };
    const asked = request({ socketPath, method: 'POST', path: `/images/create?${query}`, headers }, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (text) => (answer += text));
      response.once('end', () =>
        response.statusCode === 200 && !/"error"/.test(answer)
          ? resolve()
          : reject(new Error(`the engine did not import the image (${response.statusCode}): ${answer.trim()}`)),
      );
    });
    asked.once('error', reject);
    body.pipe(asked);
  });
}

function fail(message) {
  process.stderr.write(`images: ${message}\n`);
  process.exit(1);
}
