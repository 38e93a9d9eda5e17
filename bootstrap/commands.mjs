const CLI = ['--enable-source-maps', 'dist/cli/main.js'];
/**
 * What Node is given to run the tests. Requests leave much behind that is soon forgotten: collected less often, it costs less. The old
 * generation is marked when it has grown to three times its size, and not whenever a worker is idle. The cache of compiled scripts
 * would keep every suite that has ended, whose files are not compiled again; and each program that a test starts costs a copy of the
 * page tables, so a process that tests is kept small.
 */
export const JEST = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  ...['--max-semi-space-size=32', '--heap-growing-percent=200', '--no-memory-reducer', '--no-compilation-cache'],
  'node_modules/jest/bin/jest.js',
];

/** What whatever runs the documents service needs first; commands that need less of it name that. */
const DOCUMENTS = ['documents-packages', 'documents-build', 'documents-tools'];
/** Words that follow the names of projects are paths of suites: an option stands between them. */
const ofProjects = (...names) => [...JEST, '--selectProjects', ...names, '--passWithNoTests=false'];
/** Tests of one size, of both products. */
const ofSize = (size) => ofProjects(size, `documents-${size}`);
const DOCUMENTS_PROJECTS = ['unit', 'integration', 'e2e'].map((size) => `documents-${size}`);

/** What each command needs, in the order in which it is brought, and what is then run with Node. */
export const COMMANDS = {
  demo: { needs: ['packages', 'build', 'tools', 'temporal'], argv: [...CLI, 'demo'] },
  start: { needs: ['packages', 'build', 'tools', 'temporal'], argv: [...CLI, 'start'] },
  images: { needs: ['images'], argv: ['deploy/images/build.mjs'] },
  'images:server': { needs: ['packages', 'build', 'images'], argv: ['deploy/images/build-server.mjs'] },
  doctor: { needs: ['packages', 'build'], argv: [...CLI, 'doctor'] },
  sandgate: { needs: ['packages', 'build'], argv: CLI },
  keycloak: { needs: ['keycloak'], argv: ['bootstrap/serve-keycloak.mjs'] },
  dev: {
    needs: ['packages', 'tools'],
    argv: [
      '--watch-path=src',
      '--watch-path=migrations',
      '--watch-path=policies',
      '--watch-preserve-output',
      'build/dev.mjs',
    ],
  },
  build: { needs: ['packages'], argv: ['build/build.mjs'] },
  test: { needs: [...DOCUMENTS, 'tools', 'oracles', 'engine', 'temporal'], argv: JEST },
  'test:unit': { needs: ['documents-packages', 'documents-build'], argv: ofSize('unit') },
  'test:integration': {
    needs: [...DOCUMENTS, 'tools', 'temporal'],
    argv: ofSize('integration'),
  },
  'test:e2e': {
    needs: [...DOCUMENTS, 'tools', 'oracles', 'engine', 'temporal'],
    argv: ofSize('e2e'),
  },
  'test:quick': { needs: [...DOCUMENTS, 'tools', 'temporal'], argv: ['build/run-part.mjs', 'quick'] },
  'test:changed': {
    needs: [...DOCUMENTS, 'tools', 'oracles', 'engine', 'temporal'],
    argv: ['build/run-part.mjs', 'changed'],
  },
  nightly: {
    needs: [...DOCUMENTS, 'tools', 'oracles', 'engine', 'compose', 'toolchains', 'temporal', 'gitea', 'keycloak'],
    argv: ['build/run-nightly.mjs'],
  },
  'fuzz:shell': { needs: ['packages', 'build', 'tools', 'oracles'], argv: ['build/fuzz-shell.mjs'] },
  bench: { needs: ['packages', 'build', 'tools', 'engine', 'toolchains', 'temporal'], argv: ['test/bench/run.mjs'] },
  /** Any script of the tree: `run.mjs node path/to/script.mjs …`, with everything built. */
  node: { needs: ['documents-packages', 'documents-build', 'tools', 'temporal'], argv: ['--enable-source-maps'] },
  /** The packages of all, for `npm run check`. */
  packages: { needs: ['documents-packages'], argv: ['--version'] },
  'documents:build': { needs: ['documents-packages', 'build'], argv: ['build/build-documents.mjs'] },
  'documents:start': {
    needs: [...DOCUMENTS, 'tools', 'temporal'],
    argv: ['--enable-source-maps', 'dist/documents/embedded/main.js'],
  },
  'documents:demo': {
    needs: [...DOCUMENTS, 'tools', 'temporal'],
    argv: ['--enable-source-maps', 'dist/documents/src/cli/demo/main.js'],
  },
  'documents:bench': { needs: [...DOCUMENTS, 'tools', 'temporal'], argv: ['documents/test/bench/run.mjs'] },
  'documents:cli': {
    needs: ['documents-packages', 'documents-build'],
    argv: ['--enable-source-maps', 'dist/documents/cli/main.js'],
  },
  'documents:test': {
    needs: [...DOCUMENTS, 'tools', 'temporal'],
    argv: ofProjects(...DOCUMENTS_PROJECTS),
  },
  /** As `node`, for scripts that read documents. */
  'documents:node': { needs: [...DOCUMENTS, 'tools', 'temporal'], argv: ['--enable-source-maps'] },
};

/** What a command needs, in order; one that starts the documents service beside the control plane needs what that needs too. */
export function needsOf(name, argv) {
  return startsDocuments(argv) ? [...DOCUMENTS, ...COMMANDS[name].needs] : COMMANDS[name].needs;
}

/** Whether somebody asks for `--with documents`. */
export function startsDocuments(argv) {
  return argv.some((word, at) => word === '--with=documents' || (word === '--with' && argv[at + 1] === 'documents'));
}
