import { Injectable } from '@nestjs/common';
import type { ExactJson } from '../../../domain/digest/exact-json.js';
import { withholdApproved } from '../../../core/approvals/approval-release.js';
import type { ApprovalEntity } from '../../../core/approvals/approval.entity.js';
import { Database } from '../../../core/record/database.js';
import { workspaceFiles } from '../../../platform/sandbox/choice/workspace-files.js';
import { changedFile, type MeasuredFile, type WorkspaceFiles } from '../../../platform/workspace/index.js';
import { ApiConfig } from '../../foundation/foundation.module.js';
import { namedPaths } from './named-paths.js';

/**
 * The workspace files that a command names, as an approver is shown them, and whether they are still the same when the call
 * is released (docs/design/gate.md). The plane socket of a run is served on the host that holds its workspace, so this process reads it.
 */
@Injectable()
export class ShownFiles {
  private readonly workspaces: WorkspaceFiles;

  constructor(
    config: ApiConfig,
    private readonly database: Database,
  ) {
    this.workspaces = workspaceFiles(config.data.dir);
  }

  /** Null when the command names more files than a person can be shown. */
  async measure(runId: string, input: ExactJson): Promise<MeasuredFile[] | null> {
    const paths = namedPaths(input);
    return paths === null ? null : this.workspaces.measureFiles(runId, paths);
  }

  /**
   * Null when the files are as they were shown, those included that were not there; otherwise the call is withheld for good, and
   * the reason is answered.
   */
  async withholdIfChanged(organizationId: string, row: ApprovalEntity, input: ExactJson): Promise<string | null> {
    const now = await this.measure(row.session_id, input);
    const changed = now === null ? 'too many files' : changedFile(filesOf(row), now);
    if (changed === null) return null;
    const reason = `a file that the command names has changed since it was shown to the approver: ${changed}`;
    const withheld = await this.database.withTenant(organizationId, (tx) =>
      withholdApproved(tx, { approvalId: row.id, source: 'policy', reason }),
    );
    // Not withheld: another presentation of the call was released first, so the call itself may have changed the file.
    return withheld ? reason : null;
  }
}

function filesOf({ explanation }: ApprovalEntity): MeasuredFile[] {
  const files = explanation?.['files'];
  return Array.isArray(files) ? (files as unknown as MeasuredFile[]) : [];
}
