/**
 * Bundles the programs that unpack workspaces into one file each, for places where nothing else of ours is: dist/unpacker/main.mjs for uploads, in a
 * confinement, and dist/unpacker/init.mjs for sandboxes that share no files with the control plane. Refuses to write anything but themselves,
 * the domain and the packages named here.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { replaceFile } from './replace-file.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const ALLOWED = [
  'src/platform/workspace/unpacker/',
  'src/platform/workspace/init/',
  'src/platform/host/',
  'src/platform/workspace/scanner/names.ts',
  'src/platform/archive/',
  'src/domain/',
  'node_modules/tar-stream/',
  'node_modules/streamx/',
  'node_modules/fast-fifo/',
  'node_modules/b4a/',
  'node_modules/events-universal/',
  'node_modules/text-decoder/',
];

/** What Node gives to packages that are CommonJS. */
const COMMON_JS = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);`;

const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints: { main: 'src/platform/workspace/unpacker/main.ts', init: 'src/platform/workspace/init/main.ts' },
  outdir: path.join(root, 'dist/unpacker'),
  outExtension: { '.js': '.mjs' },
  bundle: true,
  write: false,
  metafile: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  banner: { js: COMMON_JS },
  minify: true,
  legalComments: 'inline',
  logLevel: 'warning',
});
const written = Object.values(metafile.outputs).flatMap(({ inputs }) =>
  Object.keys(inputs).filter((input) => inputs[input].bytesInOutput > 0),
);
const foreign = [...new Set(written)].filter((input) => !ALLOWED.some((prefix) => input.startsWith(prefix)));
if (foreign.length > 0) {
  console.error(`the unpacker must not contain:\n${foreign.map((input) => `  ${input}`).join('\n')}`);
  process.exit(1);
}
for (const file of outputFiles) await replaceFile(file.path, file.contents);
