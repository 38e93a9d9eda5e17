/**
 * Bundles the programs of a product: the API and the worker into one file each, `api/main.js` and `worker/main.js` in the folder of its
 * build, the command line into `cli/main.js` and a file for each part that only some commands load; of documents also the engine, which is
 * started for every document, into `engine/main.js`, and the supervisor and what it runs before the others, into `embedded/main.js` and
 * `prepare/main.js`. Node takes as long to find and link their two thousand modules as to run them. The input is what was compiled
 * before, because the bundler knows no metadata of decorators.
 * Usage: node build/bundle-programs.mjs [dist/documents]
 */
import { existsSync } from 'node:fs';
import { readFile, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build } from 'esbuild';
import { root } from './build-tree.mjs';
import { replaceFile } from './replace-file.mjs';

/** Of the product: where its compiled sources lie in `src`. */
const folder = process.argv[2] ?? 'dist';

/** What Node gives to packages that are CommonJS. */
const COMMON_JS = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;`;

const OF_THE_PROCESS = 'process';

/** A module of ours goes on finding the files beside it by the address that it has in dist/. */
const ownAddress = (part) => ({
  name: 'own-address',
  setup(bundler) {
    bundler.onLoad({ filter: /\/dist\/(documents\/)?(src|migrations)\/.*\.js$/ }, async ({ path: file }) => {
      const fromBundle = path.relative(path.join(root, folder, part), file);
      const address = `new URL(${JSON.stringify(fromBundle)}, import.meta.url).href`;
      return { contents: (await readFile(file, 'utf8')).replaceAll('import.meta.url', address) };
    });
  },
});

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

/**
 * Node's HTTP is taken from the process: an ES module import of it reads every export, which loads the whole of fetch and WebSocket and
 * costs each start 60 ms of the processor.
 */
const httpWithoutFetch = {
  name: 'http-without-fetch',
  setup(bundler) {
    bundler.onResolve({ filter: /^(node:)?https?$/ }, ({ path: name, kind }) =>
      kind === 'import-statement' ? { path: name, namespace: OF_THE_PROCESS } : undefined,
    );
    bundler.onLoad({ filter: /^/, namespace: OF_THE_PROCESS }, ({ path: name }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(name)});`,
    }));
  },
};

/**
 * Node keeps a source at one byte a character only where all of it is ASCII; a program of ten megabytes would take twenty. The bundler
 * escapes what is in strings, but not in regular expressions: here are the packages that have one of those.
 */
const asciiPackages = {
  name: 'ascii-packages',
  setup(bundler) {
    bundler.onLoad({ filter: /\/node_modules\/ansis\/.*\.c?js$/ }, async ({ path: file }) => ({
      contents: (await readFile(file, 'utf8')).replaceAll(/[\u0080-\uffff]/g, escaped),
    }));
  },
};

/** Nest asks for both by name while it runs: there must be one of each. */
const ASKED_FOR_BY_NAME = ['class-validator', 'class-transformer'];
/** Temporal's worker starts threads from files of its own packages, which must find the same classes there. */
const WITH_THREADS = ['@temporalio/*'];
/** Brings Temporal's server where there is none, and its bundler with it. */
const TO_FETCH_A_SERVER = ['@temporalio/testing'];
/** Brings a native addon, which is optional; only hosts that run sandboxes in containers load it. */
const WITH_ADDONS = ['dockerode'];

await bundle('api', ASKED_FOR_BY_NAME);
await bundle('worker', [...WITH_THREADS, ...WITH_ADDONS]);
await bundle('cli', [...ASKED_FOR_BY_NAME, ...WITH_THREADS, ...WITH_ADDONS], { splitting: true });
const others = {
  engine: 'platform/extraction/program/main.js',
  embedded: 'embedded/main.js',
  prepare: 'embedded/prepare.main.js',
};
for (const [part, source] of Object.entries(others)) {
  if (existsSync(path.join(root, folder, 'src', source))) await bundle(part, TO_FETCH_A_SERVER, { source });
}

/**
 * @param part the folder of the bundle
 * @param source the file of the program, where its folder is not that of its bundle
 * @param splitting whether what is imported while the program runs gets a file of its own
 */
async function bundle(part, external, { source = `${part}/main.js`, splitting = false } = {}) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { [`${part}/main`]: `${folder}/src/${source}` },
    outdir: folder,
    chunkNames: `${part}/[name]-[hash]`,
    bundle: true,
    splitting,
    write: false,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    banner: { js: COMMON_JS },
    external,
    // Names of classes are names of tables, of schemas in the OpenAPI document and of errors in the log.
    keepNames: true,
    // Node looks at every character of what it loads, and for the ends of lines; short lines are for those who read a stack trace.
    minifyWhitespace: true,
    lineLimit: 200,
    sourcemap: 'linked',
    sourcesContent: false,
    // Names of authors are not always ASCII.
    legalComments: 'linked',
    plugins: [ownAddress(part), asciiPackages, httpWithoutFetch, optionalPackages],
    logLevel: 'warning',
  });
  for (const { path: file, text } of outputFiles) {
    await replaceFile(file, file.endsWith('.map') ? mapOfOurs(text) : text);
  }
  await removeOthers(path.join(root, folder, part), new Set(outputFiles.map(({ path: file }) => path.basename(file))));
}

/** One unit of UTF-16, as every string and regular expression may have it. */
function escaped(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Parts of an earlier build, whose names hold a digest of what was in them. */
async function removeOthers(of, kept) {
  for (const name of await readdir(of)) if (!kept.has(name)) await rm(path.join(of, name));
}

/** Stack traces name our TypeScript; of packages they name the bundle, because Node keeps in memory whatever a map holds. */
function mapOfOurs(text) {
  const map = JSON.parse(text);
  const isOurs = map.sources.map(
    (source) => !source.includes('node_modules/') && !source.includes(`${OF_THE_PROCESS}:`),
  );
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
