/**
 * `node --import ./documents/test/bench/extraction/from-sources.mjs FILE.ts` runs the sources as they are, without a build: what is measured is what
 * was just written. An import of `x.js` is one of `x.ts` where only that is there.
 */
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.startsWith('.') || !specifier.endsWith('.js')) return next(specifier, context);
    const url = new URL(specifier.replace(/\.js$/u, '.ts'), context.parentURL);
    return existsSync(fileURLToPath(url)) ? { url: url.href, shortCircuit: true } : next(specifier, context);
  },
});
