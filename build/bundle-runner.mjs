// Bundles the program that runs inside the sandbox into one file without any dependency beside it: dist/runner/main.mjs.
// Refuses to write a bundle that holds anything but the runner, the domain and the packages named here, because what is
// in this file is what untrusted code stands next to.
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const outfile = path.join(root, 'dist/runner/main.mjs');
const ALLOWED = [
  'src/runner/',
  'src/domain/',
  'node_modules/@anthropic-ai/sdk/',
  'node_modules/@opentelemetry/api/',
  'node_modules/re2js/',
];

const result = await build({
  absWorkingDir: root,
  entryPoints: ['src/runner/main.ts'],
  bundle: true,
  write: false,
  metafile: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  outfile,
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'inline',
  logLevel: 'warning',
});

const foreign = Object.keys(result.metafile.inputs).filter((input) => !ALLOWED.some((prefix) => input.startsWith(prefix)));
if (foreign.length > 0) {
  console.error(`the runner bundle must not contain:\n${foreign.map((input) => `  ${input}`).join('\n')}`);
  process.exit(1);
}
await mkdir(path.dirname(outfile), { recursive: true });
// Renamed into place: a sandbox that starts meanwhile reads the old bundle or the new one, never half of one.
await writeFile(`${outfile}.next`, result.outputFiles[0].contents);
await rename(`${outfile}.next`, outfile);
