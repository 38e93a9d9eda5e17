const CLI = ['--enable-source-maps', 'dist/src/cli/main.js'];
/** What Node is given to run the tests. */
export const JEST = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
];

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
  test: { needs: ['packages', 'build', 'tools', 'oracles', 'engine', 'temporal', 'gitea'], argv: JEST },
  'test:unit': { needs: ['packages', 'build'], argv: [...JEST, '--selectProjects', 'unit'] },
  'test:integration': {
    needs: ['packages', 'build', 'tools', 'temporal', 'gitea'],
    argv: [...JEST, '--selectProjects', 'integration'],
  },
  'test:e2e': {
    needs: ['packages', 'build', 'tools', 'oracles', 'engine', 'temporal', 'gitea'],
    argv: [...JEST, '--selectProjects', 'e2e'],
  },
  'test:quick': { needs: ['packages', 'build', 'tools', 'temporal'], argv: ['build/run-part.mjs', 'quick'] },
  'test:changed': {
    needs: ['packages', 'build', 'tools', 'oracles', 'engine', 'temporal', 'gitea'],
    argv: ['build/run-part.mjs', 'changed'],
  },
  nightly: {
    needs: [
      'packages',
      'build',
      'tools',
      'oracles',
      'engine',
      'compose',
      'toolchains',
      'temporal',
      'gitea',
      'keycloak',
    ],
    argv: ['build/run-nightly.mjs'],
  },
  'fuzz:shell': { needs: ['packages', 'build', 'tools', 'oracles'], argv: ['build/fuzz-shell.mjs'] },
  bench: { needs: ['packages', 'build', 'tools', 'engine', 'toolchains', 'temporal'], argv: ['test/bench/run.mjs'] },
  /** Any script of the tree: `run.mjs node path/to/script.mjs …`, with everything built. */
  node: { needs: ['packages', 'build', 'tools', 'temporal'], argv: ['--enable-source-maps'] },
};
