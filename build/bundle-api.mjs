/**
 * Bundles the API into one file, dist/api/main.js: Node takes as long to find and link its two thousand modules as to run them. The
 * input is what was compiled before, because the bundler knows no metadata of decorators. The worker stays as it is: most of what it
 * loads is Temporal's, which starts threads from files of its own packages.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build } from 'esbuild';
import { replaceFile } from './replace-file.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const outdir = path.join(root, 'dist/api');

/** What Node gives to packages that are CommonJS. */
const COMMON_JS = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;`;

/** A module of ours goes on finding the files beside it by the address that it has in dist/. */
const ownAddress = {
  name: 'own-address',
  setup(bundler) {
    bundler.onLoad({ filter: /\/dist\/(src|migrations)\/.*\.js$/ }, async ({ path: file }) => {
      const address = `new URL(${JSON.stringify(path.relative(outdir, file))}, import.meta.url).href`;
      return { contents: (await readFile(file, 'utf8')).replaceAll('import.meta.url', address) };
    });
  },
};

/** What a package can do without, and nobody has installed, is asked for when the program runs, as it was before. */
const optionalPackages = {
  name: 'optional-packages',
  setup(bundler) {
    bundler.onResolve({ filter: /^(@[^/]+\/)?[^./]/ }, async ({ path: name, pluginData, ...from }) => {
      if (pluginData === optionalPackages) return undefined;
      const { importer, kind, namespace, resolveDir } = from;
      const asked = { importer, kind, namespace, resolveDir, pluginData: optionalPackages };
      const found = await bundler.resolve(name, asked);
      return found.errors.length === 0 ? found : { path: name, external: true };
    });
  },
};

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: { main: 'dist/src/api/main.js' },
  outdir,
  bundle: true,
  write: false,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  banner: { js: COMMON_JS },
  // Nest asks for both by name while it runs: there must be one of each.
  external: ['class-validator', 'class-transformer'],
  // Names of classes are names of tables, of schemas in the OpenAPI document and of errors in the log.
  keepNames: true,
  sourcemap: 'linked',
  sourcesContent: false,
  plugins: [ownAddress, optionalPackages],
  logLevel: 'warning',
});
for (const { path: file, text } of outputFiles) {
  await replaceFile(file, file.endsWith('.map') ? mapOfOurs(text) : text);
}

/** Stack traces name our TypeScript; of packages they name the bundle, because Node keeps in memory whatever a map holds. */
function mapOfOurs(text) {
  const map = JSON.parse(text);
  const isOurs = map.sources.map((source) => !source.includes('node_modules/'));
  let within = true;
  const lines = decode(map.mappings).map((line) =>
    line.flatMap(([column, source, sourceLine, sourceColumn]) => {
      const wasWithin = within;
      within = isOurs[source] === true;
      if (within) return [[column, source, sourceLine, sourceColumn]];
      // The first segment of a package ends what stands before it.
      return wasWithin ? [[column]] : [];
    }),
  );
  return JSON.stringify({ ...map, names: [], mappings: encode(lines) });
}
