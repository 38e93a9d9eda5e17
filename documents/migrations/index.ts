import { CreateBaseline1810000000000 } from './1810000000000-create-baseline.js';

export { readFunctionFiles } from './function-files.js';

/** Every migration of the documents service in order. */
export const MIGRATIONS = [CreateBaseline1810000000000];
