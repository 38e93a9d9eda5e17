import { realpath } from 'node:fs/promises';
import { SandgateError } from '../../domain/errors.js';
import type { WorkspaceSpec } from '../../domain/run/spec.js';
import type { Confine } from '../host/confine.js';
import { copyFolder } from './copy-folder.js';
import { fetchRepository } from './fetch-repository.js';
import { ConfinedTimeout, GIT_FETCH_MS, type Confinement } from './git-command.js';
import type { RemoteAccess } from './remote-access.js';
import { emptyTree } from '../host/remove-tree.js';
import { removeBaseline, ScratchFolder } from './scratch-folder.js';
import { snapshotFolder, snapshotNothing, type Snapshot } from './snapshot.js';
import { unpackUpload } from './unpack-upload.js';

const COPY_MS = 120_000;

interface MaterializeRequest {
  confine: Confine;
  spec: WorkspaceSpec;
  /** Existing folder on the host that becomes `/workspace`; whatever is in it is deleted. */
  workspaceDir: string;
  /** Where the pristine git folder of the run is kept, never visible to a sandbox. */
  baselineDir: string;
  /** Folders below which local copies and `file://` repositories may lie. */
  roots: readonly string[];
  /** What reaches code hosts for this run. */
  remote: RemoteAccess;
  /** Host uid that shall own the workspace, null when it is the uid of this process. */
  uid: number | null;
  /** Host uid that fetches from code hosts, of no sandbox; null when it is the uid of this process. */
  fetchUid: number | null;
  /** What the files of a repository may take together, in bytes. */
  maxBytes: number;
  /** The server's own state, which no copy takes. */
  stateDir: string;
  signal?: AbortSignal;
}

/** A filled workspace: `leftOut` of a copy, local or uploaded, are secrets, links that leave the folder, special files and the state folder. */
export type MaterializedWorkspace = Snapshot;

/**
 * Fills the workspace of a run and records what it started from (docs/design/workspaces.md). An earlier, half-done attempt is
 * wiped and redone.
 *
 * @throws SandgateError `invalid_request` or `payload_too_large` with a sentence about the workspace that was asked for,
 *   `upstream_failed` when its code host is to blame, `unavailable` when trying again may help, `internal` otherwise
 */
export async function materialize(request: MaterializeRequest): Promise<MaterializedWorkspace> {
  await removeBaseline(request.baselineDir);
  await emptyTree(request.workspaceDir);
  const places = { workspaceDir: await realpath(request.workspaceDir), baselineDir: request.baselineDir };
  if (request.spec.kind === 'scratch') return snapshotNothing(places, request.uid);
  await using scratch = await ScratchFolder.create(request.baselineDir, request.uid);
  const on: Confinement = {
    confine: request.confine,
    uid: request.uid,
    scratch: scratch.path,
    readOnly: [],
    readWrite: [],
    until: Date.now() + (request.spec.kind === 'git_repository' ? GIT_FETCH_MS + COPY_MS : COPY_MS),
    signal: request.signal,
  };
  try {
    return await fill(on, { ...request, ...places });
  } catch (error) {
    if (!(error instanceof ConfinedTimeout)) throw error;
    throw new SandgateError('payload_too_large', `preparing the workspace took too long: ${error.message}`, {
      cause: error,
    });
  }
}

async function fill(on: Confinement, request: MaterializeRequest): Promise<Snapshot> {
  const { spec, workspaceDir, roots, stateDir } = request;
  if (spec.kind === 'git_repository') return fetchRepository(on, request, spec, request);
  if (spec.kind === 'upload') return fillFromUpload(on, request, spec);
  if (spec.kind !== 'local_copy') return snapshotNothing(request, on.uid);
  const copied = await copyFolder(on, { path: spec.path, include: spec.include ?? [], roots, stateDir, workspaceDir });
  const snapshot = await snapshotFolder(on, request);
  return { ...snapshot, leftOut: snapshot.leftOut + copied.leftOut };
}

/** What its sender left out, and secrets, were counted when it was received. */
async function fillFromUpload(
  on: Confinement,
  request: MaterializeRequest,
  spec: Extract<WorkspaceSpec, { kind: 'upload' }>,
): Promise<Snapshot> {
  const { workspaceDir, stateDir: dataDir } = request;
  const { droppedLinks } = await unpackUpload(on, spec, { workspaceDir, dataDir });
  const snapshot = await snapshotFolder(on, request);
  return { ...snapshot, leftOut: snapshot.leftOut + spec.left_out + droppedLinks };
}
