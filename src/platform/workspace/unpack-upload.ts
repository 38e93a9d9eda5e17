import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SandgateError } from '../../domain/errors.js';
import type { WorkspaceSpec } from '../../domain/run/spec.js';
import { isMissing } from '../../domain/system-error.js';
import type { ArchiveReport } from '../archive/extract.js';
import { pathExists } from '../host/path-exists.js';
import { failureText, runCommand, type Confinement } from './git-command.js';
import { OwnedWriter } from './git-folder.js';
import type { UnpackAnswer, UnpackRequest } from './unpacker/main.js';
import { uploadFile } from './upload-files.js';

/** The bundle that the build makes of the unpacker, seen from a checkout and from a build. */
const UNPACKER = fileURLToPath(
  new URL(`../../../${extname(import.meta.url) === '.ts' ? 'dist/' : ''}unpacker/main.mjs`, import.meta.url),
);

/**
 * Unpacks what was sent for a run into its empty workspace, in a confinement.
 *
 * @throws SandgateError `invalid_request` when the file is gone or another one, `payload_too_large` past a limit
 */
export async function unpackUpload(
  on: Confinement,
  spec: Extract<WorkspaceSpec, { kind: 'upload' }>,
  { workspaceDir, dataDir }: { workspaceDir: string; dataDir: string },
): Promise<ArchiveReport> {
  const archive = uploadFile(dataDir, spec.id);
  if (!(await pathExists(archive)))
    throw new SandgateError('invalid_request', 'the uploaded files of this run are not on its host any more');
  const writer = new OwnedWriter(on.uid);
  const program = join(on.scratch, 'unpack.mjs');
  await writer.file(program, await readProgram());
  const request: UnpackRequest = { archive, digest: spec.digest, bytes: spec.bytes, root: workspaceDir };
  await writer.file(join(on.scratch, 'unpack.json'), JSON.stringify(request));
  const result = await runCommand(
    { ...on, readOnly: [process.execPath, archive, ...on.readOnly], readWrite: [workspaceDir, ...on.readWrite] },
    [process.execPath, '--max-old-space-size=768', program, join(on.scratch, 'unpack.json')],
  );
  if (result.exitCode !== 0)
    throw new SandgateError('internal', `the uploaded files could not be unpacked: ${failureText(result)}`);
  const answer = JSON.parse(result.stdout.toString('utf8')) as UnpackAnswer;
  if ('refused' in answer) throw new SandgateError(answer.refused.code, answer.refused.message);
  return answer.report;
}

async function readProgram(): Promise<Buffer> {
  try {
    return await readFile(UNPACKER);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new SandgateError('internal', `${UNPACKER} is missing: run npm run build`, { cause: error });
  }
}
