import { setSourceMapsSupport } from 'node:module';

/**
 * Preloaded into the API and the worker: stack traces name our TypeScript. The maps of packages stay unread, which
 * `--enable-source-maps` would hold in memory for every module.
 */
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
