import fs from 'node:fs';
import process from 'node:process';
import { BootstrapError } from './bootstrap-error.mjs';
import { capture, onPath, reasonOf, say } from './processes.mjs';

/** Programs that the sandbox and the workspaces need, by the package that holds each. */
const TOOLS = { bubblewrap: () => onPath('bwrap'), git: () => onPath('git') };
/** What the tests of shell lines hold the analysis against, and the compiler of what records them. */
const ORACLES = {
  gcc: () => onPath('cc'),
  'libc6-dev': () => fs.existsSync('/usr/include/stdio.h'),
  make: () => onPath('make'),
  mawk: () => onPath('mawk'),
  dash: () => onPath('dash'),
};
/** Makes a root file system of Debian packages, from which the image of sandboxes is imported. */
const IMAGE_TOOLS = { mmdebstrap: () => onPath('mmdebstrap') };
/** What tests start themselves: a container engine, and a second machine. Only root may have them there. */
const ENGINE = {
  podman: () => onPath('podman'),
  runc: () => onPath('runc'),
  conmon: () => onPath('conmon'),
  iproute2: () => onPath('ip'),
  netavark: () => ['/usr/lib/podman/netavark', '/usr/libexec/podman/netavark'].some((path) => fs.existsSync(path)),
  iptables: () => onPath('iptables'),
  runsc: () => onPath('runsc'),
  ...IMAGE_TOOLS,
};
/** Starts the containers of a compose file, with names for each other. */
const COMPOSE = {
  'podman-compose': () => onPath('podman-compose'),
  'aardvark-dns': () => fs.existsSync('/usr/lib/podman/aardvark-dns'),
};
/** Where Go is when it is not on the PATH. */
const GO_PROGRAMS = ['/usr/bin/go', '/usr/local/go/bin/go'];
/** What projects of other languages are built with where the tests try some, in the folders of the system, which sandboxes see. */
const TOOLCHAINS = {
  npm: () => onPath('npm'),
  'python3-pip': () => imports('pip'),
  'python3-venv': () => imports('ensurepip'),
  // Debian's `cargo` is too old for the registry's own protocol; this one is kept up to date for browsers.
  'cargo-web': () => fs.existsSync('/usr/bin/cargo'),
  'golang-go': () => GO_PROGRAMS.some((path) => fs.existsSync(path)),
};
/** Fetches, unpacks and runs Keycloak. */
const JAVA = { maven: () => onPath('mvn'), 'default-jre-headless': () => onPath('java'), unzip: () => onPath('unzip') };
/** Reads text off pictures, tells how a page is turned, and draws pages: what the documents service runs in its jail. */
const DOCUMENTS = {
  'tesseract-ocr': () => onPath('tesseract'),
  'tesseract-ocr-eng': () => knowsScript('eng'),
  'tesseract-ocr-osd': () => knowsScript('osd'),
  'poppler-utils': () => onPath('pdftoppm'),
};
/** Names that are Debian's alone. */
const OTHER_NAMES = {
  'tesseract-ocr': { dnf: 'tesseract', pacman: 'tesseract' },
  'tesseract-ocr-eng': {
    dnf: 'tesseract-langpack-eng',
    pacman: 'tesseract-data-eng',
    zypper: 'tesseract-ocr-traineddata-english',
    apk: 'tesseract-ocr-data-eng',
  },
  'tesseract-ocr-osd': {
    dnf: 'tesseract-osd',
    pacman: 'tesseract-data-osd',
    zypper: 'tesseract-ocr-traineddata-orientation_and_script_detection',
    apk: 'tesseract-ocr-data-osd',
  },
  'poppler-utils': { pacman: 'poppler', zypper: 'poppler-tools' },
  'golang-go': { dnf: 'golang', pacman: 'go', zypper: 'go', apk: 'go' },
  'libc6-dev': { dnf: 'glibc-devel', zypper: 'glibc-devel', pacman: 'glibc', apk: 'musl-dev' },
};

/** How each system package manager installs; `refresh` comes first when the plain form fails. */
const MANAGERS = [
  { program: 'apt-get', install: ['install', '-y', '-q', '--no-install-recommends'], refresh: ['update', '-q'] },
  { program: 'dnf', install: ['install', '-y', '-q'] },
  { program: 'apk', install: ['add', '--no-progress'] },
  { program: 'pacman', install: ['-S', '--noconfirm', '--needed'], refresh: ['-Sy'] },
  { program: 'zypper', install: ['--non-interactive', 'install'] },
];

/** Finds or installs bubblewrap and git; without the right to install, one sentence says what to type. */
export function ensureTools() {
  ensure(TOOLS, 'the local sandbox needs Linux; run Sandgate in a Linux machine or container');
}

/** The same for a compiler of C, make, mawk and dash, which only tests need. */
export function ensureOracles() {
  ensure(ORACLES, 'the tests of shell lines need Linux; `npm run test:unit` does without');
}

/** The same for Podman, what makes its images, and what connects a second machine, where tests can use them: on Debian, as root. */
export function ensureEngine() {
  if (mayHaveEngine())
    ensure(ENGINE, 'the tests of the container provider need Linux; `npm run test:unit` does without');
}

/** The same for what the test of the compose file starts, in the campaign alone. */
export function ensureCompose() {
  if (mayHaveEngine()) ensure(COMPOSE, 'the test of the compose file needs Linux; `npm test` does without');
}

/** The same for compilers and package managers, in the campaign and the benchmark alone. */
export function ensureToolchains() {
  if (mayHaveEngine()) ensure(TOOLCHAINS, 'the tests of other languages need Linux; `npm test` does without');
}

/** The same for Go, which builds the code host of tests. */
export function ensureGo() {
  const hasGo = () => onPath('go') || GO_PROGRAMS.some((path) => fs.existsSync(path));
  ensure({ 'golang-go': hasGo }, 'some tests need it; install Go, or try Sandgate with `npm run demo`');
}

/** The same for what fetches, unpacks and runs Keycloak, in the campaign alone. */
export function ensureJava() {
  ensure(JAVA, 'the tests of signing in with Keycloak need Linux; `npm test` does without');
}

/** The same for what makes images where there is no registry. */
export function ensureImageTools() {
  ensure(IMAGE_TOOLS, 'images are made of Debian packages on Linux; elsewhere use deploy/images/base.Dockerfile');
}

/** The same for what the documents service reads scans and draws pages with. */
export function ensureDocumentsTools() {
  ensure(DOCUMENTS, 'documents are read in a sandbox, which needs Linux; run docsvc in a Linux machine or container');
}

function knowsScript(name) {
  return capture('tesseract', ['--list-langs']).stdout.split('\n').includes(name);
}

function imports(module) {
  return capture('/usr/bin/python3', ['-c', `import ${module}`]).ok;
}

function mayHaveEngine() {
  return process.getuid() === 0 && onPath('apt-get');
}

function ensure(tools, elsewhere) {
  const missing = () => Object.keys(tools).filter((name) => !tools[name]());
  const first = missing();
  if (first.length === 0) return;
  if (process.platform !== 'linux') throw new BootstrapError(`${list(first)} are not here: ${elsewhere}`);
  const manager = MANAGERS.find(({ program }) => onPath(program));
  const packages = first.map((name) => OTHER_NAMES[name]?.[manager?.program] ?? name);
  const prefix = privilegePrefix();
  if (manager === undefined || prefix === undefined) throw missingTools(packages, manager);
  say(`Installing ${list(packages)} with ${manager.program} …`);
  const result = install(prefix, manager, packages);
  if (missing().length === 0) return;
  throw new BootstrapError(
    `${manager.program} could not install ${list(packages)} (${reasonOf(result)}); install them and run the command again`,
  );
}

function list(packages) {
  return packages.length < 2 ? packages.join('') : `${packages.slice(0, -1).join(', ')} and ${packages.at(-1)}`;
}

function install(prefix, manager, packages) {
  const run = (argv) => {
    const [program, ...rest] = [...prefix, manager.program, ...argv];
    return capture(program, rest, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  };
  const first = run([...manager.install, ...packages]);
  if (first.ok || manager.refresh === undefined) return first;
  run(manager.refresh);
  return run([...manager.install, ...packages]);
}

/** What must stand before a command that needs root: nothing, sudo that asks no password, or undefined. */
function privilegePrefix() {
  if (process.getuid() === 0) return [];
  return capture('sudo', ['-n', 'true'], { timeout: 10_000 }).ok ? ['sudo', '-n'] : undefined;
}

function missingTools(packages, manager) {
  const command =
    manager === undefined
      ? ''
      : `, for example: sudo ${manager.program} ${manager.install.filter((word) => !word.startsWith('-') || manager.program === 'pacman').join(' ')} ${packages.join(' ')}`;
  return new BootstrapError(`${list(packages)} must be installed by an administrator${command}`);
}
