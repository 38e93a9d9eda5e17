import type pg from 'pg';
import { SandgateError } from '../../domain/errors.js';
import type { WorkspaceSpec } from '../../domain/run/spec.js';
import { MAX_UNUSED_UPLOAD_BYTES, MAX_UNUSED_UPLOADS, UPLOAD_TTL_SECS } from '../../domain/workspace/upload-limits.js';
import { queryRows } from '../record/query-row.js';
import type { TenantTransaction } from '../record/database.js';

/** Whose a workspace is that somebody sent; nobody else can name it. */
export interface UploadOwner {
  kind: string;
  /** Null for the operator. */
  userId: string | null;
}

/** A workspace that somebody sent, as its row has it. */
export interface UploadRow {
  id: string;
  digest: string;
  bytes: number;
  files: number;
  left_out: number;
  base_commit: string | null;
  expires_at: Date;
}

/** What a received archive turned out to be. */
export interface ReceivedUpload {
  digest: string;
  bytes: number;
  files: number;
  leftOut: number;
  baseCommit: string | null;
}

const CAPS: Record<string, string> = {
  number: `${MAX_UNUSED_UPLOADS} uploaded workspaces`,
  bytes: `uploaded workspaces of ${MAX_UNUSED_UPLOAD_BYTES / 1024 ** 3} GiB`,
};

/**
 * Begins the row of a workspace that is about to be received on a host.
 *
 * @param bytes that room is kept for
 * @throws SandgateError `rate_limited` when its owner has as much waiting as one may
 */
export async function beginUpload(
  tx: TenantTransaction,
  upload: { id: string; owner: UploadOwner; hostId: string; bytes: number },
): Promise<void> {
  const { id, owner, hostId, bytes } = upload;
  const [answer] = await tx.query<{ refused: string | null }>(
    'select * from svc_begin_upload($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    [
      tx.organizationId,
      id,
      owner.kind,
      owner.userId,
      hostId,
      bytes,
      UPLOAD_TTL_SECS,
      MAX_UNUSED_UPLOADS,
      MAX_UNUSED_UPLOAD_BYTES,
    ],
  );
  const cap = answer?.refused ?? null;
  if (cap === null) return;
  const message = `${CAPS[cap]} wait for their runs already: start those, or try again when they have expired`;
  throw new SandgateError('rate_limited', message, { retryAfterSeconds: 60 });
}

/** @throws SandgateError `conflict` when it took too long */
export async function finishUpload(tx: TenantTransaction, id: string, received: ReceivedUpload): Promise<UploadRow> {
  const { digest, bytes, files, leftOut, baseCommit } = received;
  const [row] = await tx.query<UploadSql>('select * from svc_finish_upload($1, $2, $3, $4, $5, $6, $7)', [
    id,
    digest,
    bytes,
    files,
    leftOut,
    baseCommit,
    UPLOAD_TTL_SECS,
  ]);
  if (row === undefined) throw new SandgateError('conflict', 'the upload took longer than an hour; send it again');
  return toRow(row);
}

/** Forgets one that failed, or that another one stands for. */
export async function dropUpload(tx: TenantTransaction, id: string): Promise<void> {
  await tx.query('select svc_drop_upload($1)', [id]);
}

/** @throws SandgateError `unavailable` when it has been swept meanwhile */
export async function readUpload(tx: TenantTransaction, id: string): Promise<UploadRow> {
  const [row] = await tx.query<UploadSql>('select * from svc_read_upload($1)', [id]);
  if (row === undefined) throw new SandgateError('unavailable', 'the upload under this key is gone; use another key');
  return toRow(row);
}

/**
 * Gives an uploaded workspace to a run, in the transaction that creates it: what is refused later gives it back.
 *
 * @throws SandgateError `invalid_request` when the caller has none of that id, or it was used or is too old
 */
export async function useUpload(
  tx: TenantTransaction,
  id: string,
  owner: UploadOwner,
  runId: string,
): Promise<Extract<WorkspaceSpec, { kind: 'upload' }>> {
  const [row] = await tx.query<UsedSql>('select * from svc_use_upload($1, $2, $3, $4)', [
    id,
    owner.kind,
    owner.userId,
    runId,
  ]);
  if (row === undefined || row.state === 'receiving') throw refusal('is no upload of yours');
  if (!row.took && row.state === 'used') throw refusal(`was used by run ${row.session_id}; an upload is for one run`);
  if (!row.took) throw refusal('has expired; send the files again');
  return {
    kind: 'upload',
    id,
    digest: row.digest,
    bytes: Number(row.bytes),
    files: row.files,
    left_out: row.left_out,
    host: row.host_id,
    ...(row.base_commit === null ? {} : { base_commit: row.base_commit }),
  };
}

/** Of these uploads, those whose file is still needed; across organizations. */
export async function findWantedUploads(pool: pg.Pool, ids: string[]): Promise<Set<string>> {
  const rows = await queryRows<{ id: string }>(pool, {
    text: 'select svc_find_wanted_uploads($1::uuid[]) as id',
    values: [ids],
  });
  return new Set(rows.map(({ id }) => id));
}

interface UploadSql extends Omit<UploadRow, 'bytes'> {
  bytes: string | number;
}

interface UsedSql {
  took: boolean;
  state: string;
  digest: string;
  bytes: string | number;
  files: number;
  left_out: number;
  base_commit: string | null;
  host_id: string;
  session_id: string | null;
}

function toRow({ id, digest, bytes, files, left_out, base_commit, expires_at }: UploadSql): UploadRow {
  return { id, digest, bytes: Number(bytes), files, left_out, base_commit, expires_at };
}

function refusal(what: string): SandgateError {
  return new SandgateError('invalid_request', `workspace.id ${what}`);
}
