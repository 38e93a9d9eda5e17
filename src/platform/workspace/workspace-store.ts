import type { BaseFile } from '../../domain/setup/layer-key.js';
import type { SandboxSizes, WorkspaceSpec } from '../../domain/run/spec.js';
import type { CollectedDiff } from './collect-diff.js';
import type { MaterializedWorkspace } from './materialize.js';
import type { MeasuredFile } from './measure-files.js';
import type { RemoteAccess } from './remote-access.js';
import type { WorkspaceArchive } from './run-archives.js';

/** What the workspace of one run is filled with. */
export interface WorkspaceFilling {
  runId: string;
  spec: WorkspaceSpec;
  sizes: SandboxSizes;
  /** What reaches code hosts for this run. */
  remote: RemoteAccess;
  signal?: AbortSignal;
}

/** Which diff is taken, and how long that may take. */
export interface DiffRequest {
  runId: string;
  baseCommit: string;
  timeoutMs: number;
}

/**
 * The workspaces of the runs of one host, and what they started from (docs/design/workspaces.md): a folder here, or something that only the
 * sandbox's engine reaches. The room for a workspace is reserved, and given back, by the sandbox provider. Every operation is idempotent
 * by run id.
 */
export interface WorkspaceStore {
  /**
   * Fills the workspace of a run that has its room, and keeps what it started from out of reach of every sandbox. What an earlier, half-done
   * attempt left is wiped.
   * @throws SandgateError `invalid_request` or `payload_too_large` with a sentence about the workspace that was asked for,
   *   `upstream_failed` when its code host is to blame, `unavailable` when trying again may help, `internal` otherwise
   */
  fill(filling: WorkspaceFilling): Promise<MaterializedWorkspace>;
  /**
   * Packs a filled workspace and what it started from, for sandboxes that share no files with this host. The runner plane hands it to them.
   * @throws SandgateError `payload_too_large` when the archive becomes larger than `maxBytes`, `invalid_request` for what none carries
   */
  pack(runId: string, maxBytes: number): Promise<WorkspaceArchive>;
  /** Every file and link that the run began with. */
  listBase(runId: string, baseCommit: string): Promise<BaseFile[]>;
  /**
   * Size and digest of those paths that name regular files of the workspace as they are now, while the agent may be changing them; null when
   * there are more than a person can be shown.
   */
  measureFiles(runId: string, paths: readonly string[]): Promise<MeasuredFile[] | null>;
  /**
   * What a dead sandbox changed, read so that nothing in its tree has a say.
   * @throws SandgateError `not_found` when the workspace is gone, else with the reason of the missing diff
   */
  collectDiff(request: DiffRequest): Promise<CollectedDiff>;
  /** Deletes what the workspace of a run started from, and its archive. Gone already is success. */
  forget(runId: string): Promise<void>;
  /** Runs of which anything is kept that {@link forget} deletes. */
  listKept(): Promise<string[]>;
  /** Runs whose workspace was packed longer ago than that. */
  listArchives(olderThanSecs: number): Promise<string[]>;
  /** Ids of the uploads of which this host has anything. */
  listUploads(): Promise<string[]>;
  /** Deletes what was sent. Gone already is success. */
  removeUpload(id: string): Promise<void>;
}

/** What the gate needs of the workspaces of its host. */
export type WorkspaceFiles = Pick<WorkspaceStore, 'measureFiles'>;
