import { digestOfText } from '../../domain/digest/digest.js';
import type { TenantTransaction } from '../record/database.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { ArtifactEntity } from './artifact.entity.js';
import { lockRun } from '../runs/run-moves.js';

export interface NewArtifact {
  kind: 'diff' | 'summary' | 'log';
  name: string;
  contentType: string;
  content: Buffer;
  truncated: boolean;
}

/** What collecting a workspace produces (docs/design/workspaces.md); an empty patch says so. */
export interface CollectedDiff {
  patch: Buffer;
  empty: boolean;
  truncated: boolean;
}

/** The columns that a new artifact takes over when one of its kind and name is there. */
const REPLACED = ['id', 'content', 'content_type', 'size_bytes', 'digest', 'truncated', 'created_at'] as const;
const DIFF_NAME = 'changes.patch';
const UNAVAILABLE = '(diff unavailable';

/** Writes an artifact; one per (run, kind, name), a later one replaces it under a new id and digest. */
export async function storeArtifact(tx: TenantTransaction, runId: string, artifact: NewArtifact): Promise<string> {
  const digest = digestOfText(artifact.content);
  await tx.manager
    .createQueryBuilder()
    .insert()
    .into(ArtifactEntity)
    .values({
      id: newRowId(),
      tenant_id: tx.organizationId,
      session_id: runId,
      kind: artifact.kind,
      name: artifact.name,
      content: artifact.content,
      content_type: artifact.contentType,
      size_bytes: String(artifact.content.length),
      digest,
      truncated: artifact.truncated,
      created_at: () => 'now()',
    })
    .orUpdate([...REPLACED], ['session_id', 'kind', 'name'])
    .updateEntity(false)
    .execute();
  return digest;
}

/** Stores a real diff and records it in the ledger. Locks the run, so that a repeated collection changes nothing. */
export async function storeDiff(tx: TenantTransaction, runId: string, diff: CollectedDiff): Promise<void> {
  if ((await lockAndReadDiff(tx, runId)) === 'collected') return;
  const { patch: content, truncated } = diff;
  const contentType = diff.empty ? 'text/plain' : 'text/x-diff';
  const digest = await storeArtifact(tx, runId, { kind: 'diff', name: DIFF_NAME, contentType, content, truncated });
  await tx.append(runId, [
    {
      actor: 'system',
      type: 'artifact.collected',
      data: { kind: 'diff', name: DIFF_NAME, bytes: content.length, sha256: digest, truncated },
    },
  ]);
}

/** Records once that the diff could not be taken; never replaces a real one. */
export async function storeMissingDiff(tx: TenantTransaction, runId: string, reason: string): Promise<void> {
  if ((await lockAndReadDiff(tx, runId)) !== 'none') return;
  await storeArtifact(tx, runId, {
    kind: 'diff',
    name: DIFF_NAME,
    contentType: 'text/plain',
    content: Buffer.from(`${UNAVAILABLE}: ${reason})`),
    truncated: false,
  });
  await tx.append(runId, [{ actor: 'system', type: 'artifact.missing', data: { kind: 'diff', reason } }]);
}

/** `collected` for a real diff, `missing` for a marker that may still be upgraded, `none` before either. */
export async function readStoredDiff(tx: TenantTransaction, runId: string): Promise<'collected' | 'missing' | 'none'> {
  const [row] = await tx.query<{ marked: boolean }>('select * from svc_read_diff_marker($1, $2, $3)', [
    runId,
    DIFF_NAME,
    Buffer.from(UNAVAILABLE),
  ]);
  if (row === undefined) return 'none';
  return row.marked ? 'missing' : 'collected';
}

async function lockAndReadDiff(tx: TenantTransaction, runId: string): Promise<'collected' | 'missing' | 'none'> {
  await lockRun(tx, runId);
  return readStoredDiff(tx, runId);
}
