/**
 * Bundles each program of the documents service that runs in a jail into one file, dist/documents/parsers/<name>.mjs, which stands there alone:
 * of packages only those stay outside that the program's entry names, because they have native parts.
 */
import { chmodSync, globSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { PARSER_PROGRAMS } from '../documents/src/platform/parsing/parser-programs.ts';
import { root } from './build-tree.mjs';
import { replaceFile } from './replace-file.mjs';

/** What Node gives to packages that are CommonJS. */
const COMMON_JS = `import { createRequire as createRequireOfBundle } from 'node:module';
import { fileURLToPath as pathOfBundle } from 'node:url';
const require = createRequireOfBundle(import.meta.url);
const __filename = pathOfBundle(import.meta.url);`;

const programs = 'documents/src/platform/parsing/programs';
for (const entry of globSync(`${programs}/*/main.ts`, { cwd: root })) {
  const name = path.basename(path.dirname(entry));
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: path.join(root, `dist/documents/parsers/${name}.mjs`),
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    external: [...PARSER_PROGRAMS[name].packages],
    banner: { js: COMMON_JS },
    minify: true,
    legalComments: 'inline',
    logLevel: 'warning',
  });
  for (const file of outputFiles) {
    await replaceFile(file.path, file.contents);
    // Read in the jail by a uid that owns nothing, whatever the umask of the build.
    chmodSync(file.path, 0o644);
  }
}
