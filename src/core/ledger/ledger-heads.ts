import type { HeadSigner, HeadStatement, SignedHead } from '../../domain/ledger/signed-head.js';
import { exportHeader, writeExportLine, type ExportEvent, type ExportHead } from '../../domain/ledger/export-format.js';
import { SandgateError } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json.js';
import type { OrganizationTransaction, OrganizationTransactions } from '../../platform/postgres/postgres.js';
import { insertUnlessThere } from '../../platform/postgres/write-rows.js';
import { LedgerHeadEntity } from './ledger-head.entity.js';

/** Who signs heads: a key of this installation, or one in a key management service. */
export type LedgerSigner = HeadSigner;

const BATCH = 500;

/**
 * Signs the run's ledger as it stands and stores the head; after the terminal move and for an export (docs/design/events.md).
 * Signing the same head again answers the stored one.
 *
 * @throws SandgateError `not_found`
 */
export async function signLedgerHead(
  db: OrganizationTransactions,
  organizationId: string,
  runId: string,
  signer: LedgerSigner,
): Promise<SignedHead> {
  const known = await db.withTenant(organizationId, async (tx) => ({
    head: await readHead(tx, runId),
    stored: await readSignedHead(tx, runId),
  }));
  if (known.stored !== null && known.stored.seq === known.head.seq && known.stored.key_id === signer.keyId) {
    return known.stored;
  }
  // Outside the transaction: the signer may be a network service.
  const signed = await signer.sign(statementOf(organizationId, runId, signer, known.head));
  await db.withTenant(organizationId, (tx) => storeSignedHead(tx, signed));
  return signed;
}

/** The lines of an export (domain/ledger/export-format), up to a head that is signed now. */
export async function* exportLedger(
  db: OrganizationTransactions,
  organizationId: string,
  runId: string,
  signer: LedgerSigner,
): AsyncGenerator<string> {
  const head = await signLedgerHead(db, organizationId, runId, signer);
  yield writeExportLine(exportHeader(organizationId, runId));
  for (let after = 0; after < head.seq;) {
    const events = await db.withTenant(organizationId, (tx) => readEvents(tx, runId, after, head.seq));
    if (events.length === 0) break;
    for (const event of events) yield writeExportLine(event);
    after = events.at(-1)?.seq ?? head.seq;
  }
  yield writeExportLine({ kind: 'head', ...head } satisfies ExportHead);
}

interface Head {
  seq: number;
  hash: string;
  now: Date;
}

function statementOf(organizationId: string, runId: string, signer: LedgerSigner, head: Head): HeadStatement {
  return {
    organization_id: organizationId,
    session_id: runId,
    seq: head.seq,
    hash: head.hash,
    key_id: signer.keyId,
    signed_at: head.now.toISOString(),
  };
}

async function readHead(tx: OrganizationTransaction, runId: string): Promise<Head> {
  const [row] = await tx.query<{ seq: string; hash: string; at: Date }>('select * from svc_read_ledger_head($1)', [
    runId,
  ]);
  if (row === undefined) throw new SandgateError('not_found', 'no such run');
  return { seq: Number(row.seq), hash: row.hash, now: row.at };
}

/** The newest stored head of the run. */
export async function readSignedHead(tx: OrganizationTransaction, runId: string): Promise<SignedHead | null> {
  const row = await tx.manager.findOne(LedgerHeadEntity, { where: { session_id: runId }, order: { seq: 'DESC' } });
  if (row === null) return null;
  return {
    organization_id: tx.organizationId,
    session_id: runId,
    seq: Number(row.seq),
    hash: row.hash.toString('hex'),
    key_id: row.key_id,
    signed_at: row.signed_at.toISOString(),
    signature: row.signature.toString('hex'),
  };
}

async function storeSignedHead(tx: OrganizationTransaction, head: SignedHead): Promise<void> {
  await insertUnlessThere(tx, LedgerHeadEntity, {
    tenant_id: tx.organizationId,
    session_id: head.session_id,
    seq: String(head.seq),
    hash: Buffer.from(head.hash, 'hex'),
    signature: Buffer.from(head.signature, 'hex'),
    key_id: head.key_id,
    signed_at: new Date(head.signed_at),
  });
}

interface EventRow {
  seq: string;
  event_id: string;
  micros: string;
  actor: string;
  type: string;
  schema_version: number;
  data: JsonObject;
  body_digest: string;
  hash: string;
}

async function readEvents(
  tx: OrganizationTransaction,
  runId: string,
  after: number,
  upTo: number,
): Promise<ExportEvent[]> {
  const rows = await tx.query<EventRow>('select * from svc_export_events($1, $2, $3, $4)', [runId, after, upTo, BATCH]);
  return rows.map((row) => ({
    kind: 'event',
    seq: Number(row.seq),
    event_id: row.event_id,
    occurred_at_us: row.micros,
    actor: row.actor,
    type: row.type,
    version: row.schema_version,
    data: row.data,
    body_digest: row.body_digest,
    hash: row.hash,
  }));
}
