import { createRequire } from 'node:module';

/** By its path: the package keeps to itself how its logger is made anew. */
const ROOT_LOGGER = '../../../node_modules/nestjs-pino/dist/esm/rootLogger.js';
const { resetRootLogger } = createRequire(import.meta.url)(ROOT_LOGGER) as { resetRootLogger: () => void };

/** What is logged outside of a request goes where the first API of a process logs to; after this, the next one is the first. */
export function forgetRootLogger(): void {
  resetRootLogger();
}
