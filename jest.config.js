import { readFileSync } from 'node:fs';

/** The compiler's options without its exclusion of specs, which holds for the build only. */
const { $schema, exclude, ...compiler } = JSON.parse(readFileSync(new URL('.swcrc', import.meta.url), 'utf8'));

/**
 * One configuration, three projects: `unit` beside the code, `integration` on real PostgreSQL and Temporal, `e2e` with real sandboxes.
 * The documents service has the same three under names of its own.
 */
const shared = {
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironment: 'node',
  transform: { '^.+\\.ts$': ['@swc/jest', { ...compiler, swcrc: false, sourceMaps: 'inline' }] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
};

export default {
  // Two more than the cores that CI has: end-to-end suites wait for about half of their time. Every suite has databases, ports,
  // folders and uids of its own, whatever runs beside it.
  maxWorkers: 4,
  testSequencer: '<rootDir>/build/jest-slow-first.mjs',
  // Modules of a suite are never given back; without a worker that is replaced, one process would hold those of all suites.
  workerIdleMemoryLimit: '2GB',
  // Ends what hangs, on a machine however slow; no test shows by it that something is fast.
  testTimeout: 120_000,
  reporters: ['default', '<rootDir>/build/jest-slowest-suites.mjs', '<rootDir>/build/jest-closing-line.mjs'],
  projects: [
    {
      ...shared,
      displayName: 'unit',
      runtime: '<rootDir>/build/jest-shared-modules.mjs',
      testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/{bootstrap,build}/*.spec.mjs'],
    },
    {
      ...shared,
      displayName: 'integration',
      runtime: '<rootDir>/build/jest-shared-modules.mjs',
      testMatch: ['<rootDir>/test/integration/**/*.spec.ts'],
      globalSetup: '<rootDir>/test/support/database/start-services.ts',
      globalTeardown: '<rootDir>/test/support/database/stop-services.ts',
    },
    {
      ...shared,
      displayName: 'e2e',
      runtime: '<rootDir>/build/jest-shared-modules.mjs',
      testMatch: ['<rootDir>/test/e2e/**/*.spec.ts'],
      globalSetup: '<rootDir>/test/support/installation/prepare-cluster.mjs',
    },
    {
      ...shared,
      displayName: 'documents-unit',
      runtime: '<rootDir>/build/jest-shared-modules.mjs',
      testMatch: ['<rootDir>/documents/src/**/*.spec.ts'],
    },
    {
      ...shared,
      displayName: 'documents-integration',
      runtime: '<rootDir>/build/jest-shared-modules.mjs',
      testMatch: ['<rootDir>/documents/test/integration/**/*.spec.ts'],
      globalSetup: '<rootDir>/test/support/database/start-services.ts',
      globalTeardown: '<rootDir>/test/support/database/stop-services.ts',
    },
    {
      ...shared,
      displayName: 'documents-e2e',
      runtime: '<rootDir>/build/jest-shared-modules.mjs',
      testMatch: ['<rootDir>/documents/test/e2e/**/*.spec.ts'],
      globalSetup: '<rootDir>/test/support/database/start-services.ts',
      globalTeardown: '<rootDir>/test/support/database/stop-services.ts',
    },
  ],
};
