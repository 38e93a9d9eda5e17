/** What the scripts beside this file share: root file systems of this system's packages, and engines that import them. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import process from 'node:process';
import { URLSearchParams } from 'node:url';

const SOCKETS = ['/var/run/docker.sock', '/run/podman/podman.sock'];
/** Read by nobody in a container. */
const LEFT_OUT = ['/usr/share/doc/*', '/usr/share/man/*', '/usr/share/info/*', '/usr/share/locale/*'];

/** @returns the socket of the engine, without its scheme */
export function socketOf(engine) {
  const found = engine?.replace(/^unix:\/\//, '') ?? SOCKETS.find((one) => existsSync(one));
  if (found === undefined || !existsSync(found))
    fail(
      `no container engine was found at ${engine ?? SOCKETS.join(' or ')}; name its socket with --engine unix:///path`,
    );
  return found;
}

/**
 * Packages come from where this system's own come from.
 *
 * @param hooks shell commands of mmdebstrap, run in order when the packages are there
 * @returns the tar file as a stream, and its end, which is fatal when it fails
 */
export function makeRootFileSystem(names, hooks) {
  const argv = [
    '--variant=minbase',
    '--format=tar',
    '--quiet',
    ...(names.length === 0 ? [] : [`--include=${names.join(',')}`]),
    '--aptopt=APT::Install-Recommends "false"',
    ...LEFT_OUT.map((glob) => `--dpkgopt=path-exclude=${glob}`),
    ...hooks.map((hook) => `--customize-hook=${hook}`),
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

/** @param changes lines of a Dockerfile that say how the image is run */
export function importImage(socketPath, body, name, changes) {
  // The tag stands in the name, because Podman overlooks it as a member of its own.
  const query = new URLSearchParams({ fromSrc: '-', repo: name });
  for (const change of changes) query.append('changes', change);
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

export function fail(message) {
  process.stderr.write(`images: ${message}\n`);
  process.exit(1);
}
