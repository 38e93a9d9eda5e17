import { Injectable } from '@nestjs/common';
import type { ExactJson } from '../../../domain/digest/exact-json.js';
import type { JsonObject } from '../../../domain/json.js';
import { withholdApproved } from '../../../platform/db/approvals.js';
import type { ApprovalRow } from '../../../platform/db/approvals.js';
import { Database } from '../../../platform/db/database.js';
import { RunFolder } from '../../../platform/sandbox/bubblewrap/run-folder.js';
import { measureFiles } from '../../../platform/workspace/measure-files.js';
import type { MeasuredFile } from '../../../platform/workspace/measure-files.js';
import { ApiConfig } from '../../foundation.module.js';
import { namedPaths } from './named-paths.js';

/**
 * The workspace files that a command names, as an approver is shown them, and whether they are still the same when the call
 * is released (06-gate §4). Empty on a host that does not hold the workspace.
 */
@Injectable()
export class ShownFiles {
  constructor(
    private readonly config: ApiConfig,
    private readonly database: Database,
  ) {}

  async measure(sessionId: string, input: ExactJson): Promise<MeasuredFile[]> {
    return measureFiles(new RunFolder(this.config.data.dir, sessionId).workspace, namedPaths(input));
  }

  /** Null when every file is as it was shown; otherwise the call is withheld for good, and the reason is answered. */
  async withholdIfChanged(organizationId: string, row: ApprovalRow): Promise<string | null> {
    const shown = filesOf(row.explanation);
    const changed = await this.changedPath(row.session_id, shown);
    if (changed === null) return null;
    const reason = `a file that was shown to the approver has changed: ${changed}`;
    await this.database.withTenant(organizationId, (tx) =>
      withholdApproved(tx, { approvalId: row.id, source: 'policy', reason }),
    );
    return reason;
  }

  private async changedPath(sessionId: string, shown: MeasuredFile[]): Promise<string | null> {
    if (shown.length === 0) return null;
    const workspace = new RunFolder(this.config.data.dir, sessionId).workspace;
    const now = await measureFiles(
      workspace,
      shown.map((file) => file.path),
    );
    const same = (file: MeasuredFile): boolean =>
      now.some((other) => other.path === file.path && other.size === file.size && other.digest === file.digest);
    return shown.find((file) => !same(file))?.path ?? null;
  }
}

function filesOf(explanation: JsonObject | null): MeasuredFile[] {
  const files = explanation?.['files'];
  return Array.isArray(files) ? (files as unknown as MeasuredFile[]) : [];
}
