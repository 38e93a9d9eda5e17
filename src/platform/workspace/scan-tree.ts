import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SandgateError } from '../../domain/errors.js';
import { failureText, runCommand, type Confinement } from './git-command.js';
import { OwnedWriter } from './git-folder.js';
import type { ScanReport, ScanRequest } from './scanner/main.js';

/** The scanner's own files: TypeScript in a checkout, JavaScript in a build. */
const EXTENSION = extname(import.meta.url);
const SCANNER = fileURLToPath(new URL('./scanner/', import.meta.url));

/** Lets Node resolve the `.js` of an import to the `.ts` beside it when the scanner runs from a checkout. */
const RESOLVE_TYPESCRIPT =
  `data:text/javascript,import{registerHooks}from"node:module";registerHooks({resolve(name,context,next){` +
  `return next(name.startsWith(".")?name.replace(/\\.js$/,".ts"):name,context)}})`;

/** Runs the scanner over a still tree (scanner/main.ts) and answers its report; the index files stand in `request.output`. */
export async function scanTree(on: Confinement, request: Omit<ScanRequest, 'output'>): Promise<ScanReport> {
  const writer = new OwnedWriter(on.uid);
  const program = await installScanner(on.scratch, writer);
  await writer.file(join(on.scratch, 'scan.json'), JSON.stringify({ ...request, output: on.scratch }));
  const result = await runCommand({ ...on, readOnly: [process.execPath, ...on.readOnly] }, [
    process.execPath,
    ...(EXTENSION === '.ts' ? ['--import', RESOLVE_TYPESCRIPT] : []),
    '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
    '--disable-warning=ExperimentalWarning',
    '--max-old-space-size=768',
    program,
    join(on.scratch, 'scan.json'),
  ]);
  if (result.exitCode !== 0) throw new SandgateError('internal', `the tree could not be read: ${failureText(result)}`);
  return JSON.parse(await readFile(join(on.scratch, 'report.json'), 'utf8')) as ScanReport;
}

/** The program is copied to where the run's uid may read it, whatever the modes of our own installation are. */
async function installScanner(scratch: string, writer: OwnedWriter): Promise<string> {
  const folder = join(scratch, 'scanner');
  await writer.folder(folder);
  for (const name of await readdir(SCANNER)) {
    if (!name.endsWith(EXTENSION) || name.endsWith(`.spec${EXTENSION}`) || name.endsWith('.d.ts')) continue;
    await writer.file(join(folder, name), await readFile(join(SCANNER, name)));
  }
  return join(folder, `main${EXTENSION}`);
}
