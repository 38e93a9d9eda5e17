import { v7 as uuidv7 } from 'uuid';
import { digestOfText } from '../../domain/digest/digest.js';
import type { TenantTransaction } from '../record/database.js';
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

const DIFF_NAME = 'changes.patch';
const UNAVAILABLE = '(diff unavailable';

/** Writes an artifact; one per (run, kind, name), a later one replaces it under a new id and digest. */
export async function storeArtifact(tx: TenantTransaction, sessionId: string, artifact: NewArtifact): Promise<string> {
  const digest = digestOfText(artifact.content);
  await tx.query(
    `insert into artifacts (id, tenant_id, session_id, kind, name, content, content_type, size_bytes, digest, truncated, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now())
     on conflict (session_id, kind, name) do update
        set id = excluded.id, content = excluded.content, content_type = excluded.content_type,
            size_bytes = excluded.size_bytes, digest = excluded.digest, truncated = excluded.truncated,
            created_at = excluded.created_at`,
    [
      uuidv7(),
      tx.organizationId,
      sessionId,
      artifact.kind,
      artifact.name,
      artifact.content,
      artifact.contentType,
      artifact.content.length,
      digest,
      artifact.truncated,
    ],
  );
  return digest;
}

/** Stores a real diff and records it in the ledger. Locks the run, so that a repeated collection changes nothing. */
export async function storeDiff(tx: TenantTransaction, sessionId: string, diff: CollectedDiff): Promise<void> {
  if ((await lockAndReadDiff(tx, sessionId)) === 'collected') return;
  const { patch: content, truncated } = diff;
  const contentType = diff.empty ? 'text/plain' : 'text/x-diff';
  const digest = await storeArtifact(tx, sessionId, { kind: 'diff', name: DIFF_NAME, contentType, content, truncated });
  await tx.append(sessionId, [
    {
      actor: 'system',
      type: 'artifact.collected',
      data: { kind: 'diff', name: DIFF_NAME, bytes: content.length, sha256: digest, truncated },
    },
  ]);
}

/** Records once that the diff could not be taken; never replaces a real one. */
export async function storeMissingDiff(tx: TenantTransaction, sessionId: string, reason: string): Promise<void> {
  if ((await lockAndReadDiff(tx, sessionId)) !== 'none') return;
  await storeArtifact(tx, sessionId, {
    kind: 'diff',
    name: DIFF_NAME,
    contentType: 'text/plain',
    content: Buffer.from(`${UNAVAILABLE}: ${reason})`),
    truncated: false,
  });
  await tx.append(sessionId, [{ actor: 'system', type: 'artifact.missing', data: { kind: 'diff', reason } }]);
}

/** `collected` for a real diff, `missing` for a marker that may still be upgraded, `none` before either. */
export async function readStoredDiff(
  tx: TenantTransaction,
  sessionId: string,
): Promise<'collected' | 'missing' | 'none'> {
  const [row] = await tx.query<{ marker: boolean }>(
    `select position($2::bytea in substring(content from 1 for 64)) = 1 as marker
       from artifacts where session_id = $1 and kind = 'diff' and name = $3`,
    [sessionId, Buffer.from(UNAVAILABLE), DIFF_NAME],
  );
  if (row === undefined) return 'none';
  return row.marker ? 'missing' : 'collected';
}

async function lockAndReadDiff(tx: TenantTransaction, sessionId: string): Promise<'collected' | 'missing' | 'none'> {
  await lockRun(tx, sessionId);
  return readStoredDiff(tx, sessionId);
}
