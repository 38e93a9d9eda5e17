import { SandgateError } from '../../domain/errors.js';
import { rowIdsIn } from '../host/folders.js';
import type { Confine } from '../host/confine.js';
import { baselineFolder, baselineRoot } from './baseline-folder.js';
import { collectDiff, type CollectedDiff } from './collect-diff.js';
import { materialize, type MaterializedWorkspace } from './materialize.js';
import { measureFiles, type MeasuredFile } from './measure-files.js';
import { removeBaseline } from './scratch-folder.js';
import type { DiffRequest, WorkspaceFilling, WorkspaceStore } from './workspace-store.js';
import { RunArchives, type WorkspaceArchive } from './run-archives.js';
import { UploadFiles } from './upload-files.js';
import { listBase } from './list-base.js';
import type { BaseFile } from '../../domain/setup/layer-key.js';

/** Where a provider that shares this host's file system has the workspaces of its runs. */
export interface WorkspaceFolders {
  /** The folder of a run whose room is reserved. */
  workspaceFolder(runId: string): string;
  /** The same where this host still has it, mounted again after a reboot when necessary; else null. */
  reopenWorkspace(runId: string): Promise<string | null>;
  /** Host uid that the run's processes have, or null when it is the uid of this process. */
  workspaceOwner(runId: string): Promise<number | null>;
}

interface FolderWorkspacesOptions {
  dataDir: string;
  folders: WorkspaceFolders;
  confine: Confine;
  /** Folders below which local copies and `file://` repositories may lie. */
  roots: readonly string[];
  /** Host uid that fetches from code hosts, of no sandbox; unused where sandboxes have the uid of this process. */
  fetchUid: number;
}

const MIB = 1024 * 1024;

/** Workspaces that are folders of this host, filled and compared by git in a confinement. */
export class FolderWorkspaces implements WorkspaceStore {
  private readonly uploads: UploadFiles;
  private readonly archives: RunArchives;

  constructor(private readonly on: FolderWorkspacesOptions) {
    this.uploads = new UploadFiles(on.dataDir);
    this.archives = new RunArchives(on.dataDir);
  }

  async fill({ runId, spec, sizes, remote, signal }: WorkspaceFilling): Promise<MaterializedWorkspace> {
    const { confine, dataDir, folders, roots } = this.on;
    const uid = await folders.workspaceOwner(runId);
    return materialize({
      confine,
      spec,
      workspaceDir: folders.workspaceFolder(runId),
      baselineDir: baselineFolder(dataDir, runId),
      roots,
      remote,
      uid,
      fetchUid: uid === null ? null : this.on.fetchUid,
      maxBytes: sizes.disk_mb * MIB,
      stateDir: dataDir,
      ...(signal === undefined ? {} : { signal }),
    });
  }

  pack(runId: string, maxBytes: number): Promise<WorkspaceArchive> {
    const { dataDir, folders } = this.on;
    const workspaceDir = folders.workspaceFolder(runId);
    return this.archives.pack(runId, { workspaceDir, baselineDir: baselineFolder(dataDir, runId) }, maxBytes);
  }

  async listBase(runId: string, baseCommit: string): Promise<BaseFile[]> {
    const { confine, dataDir, folders } = this.on;
    const uid = await folders.workspaceOwner(runId);
    return listBase({ confine, baselineDir: baselineFolder(dataDir, runId), baseCommit, uid });
  }

  measureFiles(runId: string, paths: readonly string[]): Promise<MeasuredFile[] | null> {
    return measureFiles(this.on.folders.workspaceFolder(runId), paths);
  }

  async collectDiff({ runId, baseCommit, timeoutMs }: DiffRequest): Promise<CollectedDiff> {
    const { confine, dataDir, folders } = this.on;
    const workspaceDir = await folders.reopenWorkspace(runId);
    if (workspaceDir === null) throw new SandgateError('not_found', 'workspace_gone');
    const uid = await folders.workspaceOwner(runId);
    return collectDiff({
      confine,
      workspaceDir,
      baselineDir: baselineFolder(dataDir, runId),
      baseCommit,
      uid,
      timeoutMs,
    });
  }

  async forget(runId: string): Promise<void> {
    await this.archives.remove(runId);
    await removeBaseline(baselineFolder(this.on.dataDir, runId));
  }

  /** Folders that are being filled or removed have more behind the id of their run. */
  listKept(): Promise<string[]> {
    return rowIdsIn(baselineRoot(this.on.dataDir));
  }

  listArchives(olderThanSecs: number): Promise<string[]> {
    return this.archives.list(olderThanSecs);
  }

  listUploads(): Promise<string[]> {
    return this.uploads.list();
  }

  removeUpload(id: string): Promise<void> {
    return this.uploads.remove(id);
  }
}
