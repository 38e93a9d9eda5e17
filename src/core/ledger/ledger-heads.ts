import type { HeadSigner, HeadStatement, SignedHead } from '../../domain/ledger/signed-head.js';
import { exportHeader, writeExportLine, type ExportEvent, type ExportHead } from '../../domain/ledger/export-format.js';
import { SandgateError } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json.js';
import type { OrganizationTransaction, OrganizationTransactions } from '../../platform/postgres/postgres.js';

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
  sessionId: string,
  signer: LedgerSigner,
): Promise<SignedHead> {
  const known = await db.withTenant(organizationId, async (tx) => ({
    head: await readHead(tx, sessionId),
    stored: await readSignedHead(tx, sessionId),
  }));
  if (known.stored !== null && known.stored.seq === known.head.seq && known.stored.key_id === signer.keyId) {
    return known.stored;
  }
  // Outside the transaction: the signer may be a network service.
  const signed = await signer.sign(statementOf(organizationId, sessionId, signer, known.head));
  await db.withTenant(organizationId, (tx) => storeSignedHead(tx, signed));
  return signed;
}

/** The lines of an export (domain/ledger/export-format), up to a head that is signed now. */
export async function* exportLedger(
  db: OrganizationTransactions,
  organizationId: string,
  sessionId: string,
  signer: LedgerSigner,
): AsyncGenerator<string> {
  const head = await signLedgerHead(db, organizationId, sessionId, signer);
  yield writeExportLine(exportHeader(organizationId, sessionId));
  for (let after = 0; after < head.seq;) {
    const events = await db.withTenant(organizationId, (tx) => readEvents(tx, sessionId, after, head.seq));
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

function statementOf(organizationId: string, sessionId: string, signer: LedgerSigner, head: Head): HeadStatement {
  return {
    organization_id: organizationId,
    session_id: sessionId,
    seq: head.seq,
    hash: head.hash,
    key_id: signer.keyId,
    signed_at: head.now.toISOString(),
  };
}

async function readHead(tx: OrganizationTransaction, sessionId: string): Promise<Head> {
  const [row] = await tx.query<{ seq: string; hash: string; now: Date }>(
    `select seq, encode(head_hash, 'hex') as hash, clock_timestamp() as now from session_heads where session_id = $1`,
    [sessionId],
  );
  if (row === undefined) throw new SandgateError('not_found', 'no such run');
  return { seq: Number(row.seq), hash: row.hash, now: row.now };
}

/** The newest stored head of the run. */
export async function readSignedHead(tx: OrganizationTransaction, sessionId: string): Promise<SignedHead | null> {
  const [row] = await tx.query<{ seq: string; hash: string; signature: string; key_id: string; signed_at: Date }>(
    `select seq, encode(hash, 'hex') as hash, encode(signature, 'hex') as signature, key_id, signed_at
     from ledger_heads where session_id = $1 order by seq desc limit 1`,
    [sessionId],
  );
  if (row === undefined) return null;
  return {
    organization_id: tx.organizationId,
    session_id: sessionId,
    seq: Number(row.seq),
    hash: row.hash,
    key_id: row.key_id,
    signed_at: row.signed_at.toISOString(),
    signature: row.signature,
  };
}

async function storeSignedHead(tx: OrganizationTransaction, head: SignedHead): Promise<void> {
  await tx.query(
    `insert into ledger_heads (tenant_id, session_id, seq, hash, signature, key_id, signed_at)
     values ($1, $2, $3, decode($4, 'hex'), decode($5, 'hex'), $6, $7) on conflict (session_id, seq) do nothing`,
    [tx.organizationId, head.session_id, head.seq, head.hash, head.signature, head.key_id, head.signed_at],
  );
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
  sessionId: string,
  after: number,
  upTo: number,
): Promise<ExportEvent[]> {
  const rows = await tx.query<EventRow>(
    `select seq, event_id, (extract(epoch from occurred_at) * 1000000)::bigint as micros, actor, type, schema_version,
            payload -> 'data' as data, encode(body_digest, 'hex') as body_digest, encode(hash, 'hex') as hash
     from events where session_id = $1 and seq > $2 and seq <= $3 order by seq limit ${BATCH}`,
    [sessionId, after, upTo],
  );
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
