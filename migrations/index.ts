import { CreateBaseline1800000000000 } from './1800000000000-create-baseline.js';

export { readFunctionFiles, type FunctionFile } from './function-files.js';

/** Every migration in order. An explicit list works the same from sources, tests and the built output. */
export const MIGRATIONS = [CreateBaseline1800000000000];
