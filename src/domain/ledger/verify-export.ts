import { createPublicKey, KeyObject } from 'node:crypto';
import { canonicalJson } from '../digest/canonical-json.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';
import { CHAIN_START, eventIdOf, linkHash } from './chain.js';
import { digestStoredBody } from './event-body.js';
import { EXPORT_FORMAT, EXPORT_VERSION, splitExport } from './export-format.js';
import { verifyHead, type SignedHead } from './signed-head.js';
import { isRowId } from '../uuid.js';

export type ExportFault = 'edited' | 'missing' | 'reordered' | 'cut_off' | 'signature';

export interface ExportProblem {
  fault: ExportFault;
  /** Counted from 1; null when a line is missing. */
  line: number | null;
  message: string;
}

export interface ExportReport {
  ok: boolean;
  sessionId: string | null;
  organizationId: string | null;
  events: number;
  signedAt: string | null;
  problems: ExportProblem[];
}

const MAX_PROBLEMS = 50;
const HEX_32 = /^[0-9a-f]{64}$/;
const MICROS = /^(0|-?[1-9][0-9]{0,18})$/;

/**
 * Checks an export, as its bytes or its lines, against a public key (SPKI PEM or key object), without a server. Reports edited, missing, reordered and
 * cut-off events; `ok` means that the export is, byte for byte, what the holder of the key signed (docs/design/events.md).
 */
export async function verifyExport(
  content: Uint8Array | Iterable<string> | AsyncIterable<string>,
  publicKey: string | KeyObject,
): Promise<ExportReport> {
  const check = new ExportCheck(publicKey instanceof KeyObject ? publicKey : createPublicKey(publicKey));
  for await (const line of linesOf(content)) check.read(line);
  return check.finish();
}

/** Bytes that are not UTF-8 become one line, which fails the check. */
function linesOf(
  content: Uint8Array | Iterable<string> | AsyncIterable<string>,
): Iterable<string> | AsyncIterable<string> {
  return content instanceof Uint8Array ? (splitExport(content) ?? ['not UTF-8']) : content;
}

class ExportCheck {
  private readonly report: ExportReport = {
    ok: false,
    sessionId: null,
    organizationId: null,
    events: 0,
    signedAt: null,
    problems: [],
  };
  private line = 0;
  private seq = 0;
  private hash: Buffer = CHAIN_START;
  private head: SignedHead | null = null;

  constructor(private readonly publicKey: KeyObject) {}

  read(text: string): void {
    this.line += 1;
    const parsed = parseLine(text);
    if (parsed === null)
      return this.blame('edited', 'the line is not in the canonical form that exports are written in');
    if (this.head !== null) return this.blame('edited', 'the line stands behind the signed head');
    if (this.line === 1) return this.readHeader(parsed);
    if (parsed['kind'] === 'event') return this.readEvent(parsed);
    if (parsed['kind'] === 'head') return this.readHead(parsed);
    return this.blame('edited', 'the line is neither an event nor a head');
  }

  finish(): ExportReport {
    if (this.line === 0) this.blame('cut_off', 'the export is empty', null);
    else if (this.head === null) this.blame('cut_off', 'the signed head at the end is missing', null);
    this.report.ok = this.report.problems.length === 0;
    return this.report;
  }

  private readHeader(header: JsonObject): void {
    const { kind, format, version, organization_id: organizationId, session_id: sessionId, ...rest } = header;
    if (kind !== 'header' || format !== EXPORT_FORMAT || version !== EXPORT_VERSION || Object.keys(rest).length > 0) {
      return this.blame(
        kind === 'header' ? 'edited' : 'missing',
        `the export does not begin with a ${EXPORT_FORMAT} header of version ${EXPORT_VERSION}`,
      );
    }
    if (typeof sessionId !== 'string' || !isRowId(sessionId) || typeof organizationId !== 'string') {
      return this.blame('edited', 'the header does not name its run');
    }
    this.report.sessionId = sessionId;
    this.report.organizationId = organizationId;
  }

  private readEvent(event: JsonObject): void {
    const { kind, seq, event_id, occurred_at_us, actor, type, version, data, body_digest, hash, ...rest } = event;
    const wellFormed =
      kind === 'event' &&
      Object.keys(rest).length === 0 &&
      typeof seq === 'number' &&
      typeof actor === 'string' &&
      typeof type === 'string' &&
      typeof version === 'number' &&
      data !== undefined &&
      isJsonObject(data) &&
      typeof occurred_at_us === 'string' &&
      isMicros(occurred_at_us) &&
      isHex32(body_digest) &&
      isHex32(hash);
    if (!wellFormed) return this.blame('edited', 'the event has missing, unknown or malformed members');
    const place = this.placeOf(seq);
    if (place === 'wrong') return;
    if (digestStoredBody(actor, type, version, data) !== body_digest) {
      this.blame('edited', `the content of event ${seq} does not match its digest`);
    }
    const expected = linkHash(this.hash, {
      sessionId: this.report.sessionId ?? '',
      seq,
      occurredAtMicros: BigInt(occurred_at_us),
      bodyDigest: Buffer.from(body_digest, 'hex'),
    });
    // After a gap the previous hash is unknown; the gap itself is the fault, and the chain continues from here.
    if (place === 'next' && expected.toString('hex') !== hash)
      this.blame('edited', `event ${seq} does not continue the chain`);
    if (event_id !== eventIdOf(Buffer.from(hash, 'hex'))) this.blame('edited', `the id of event ${seq} was changed`);
    this.hash = Buffer.from(hash, 'hex');
  }

  /** Whether the event follows, comes after a gap, or does not belong here. */
  private placeOf(seq: number): 'next' | 'gap' | 'wrong' {
    this.report.events += 1;
    const expected = this.seq + 1;
    if (!Number.isSafeInteger(seq) || seq < 1) {
      this.blame('edited', 'the sequence number is not a positive integer');
      return 'wrong';
    }
    if (seq < expected) {
      this.blame('reordered', `event ${seq} stands behind event ${this.seq}`);
      return 'wrong';
    }
    this.seq = seq;
    if (seq === expected) return 'next';
    const missing =
      seq === expected + 1 ? `event ${expected} is missing` : `events ${expected} to ${seq - 1} are missing`;
    this.blame('missing', missing);
    return 'gap';
  }

  private readHead(line: JsonObject): void {
    const head = readSignedHead(line);
    if (head === null) return this.blame('edited', 'the signed head has missing, unknown or malformed members');
    this.head = head;
    this.report.signedAt = head.signed_at;
    if (!verifyHead(head, this.publicKey)) this.blame('signature', 'the head is not signed by this key');
    if (head.session_id !== this.report.sessionId || head.organization_id !== this.report.organizationId) {
      this.blame('edited', 'header and signed head name different runs');
    }
    if (head.seq > this.seq) this.blame('cut_off', `events ${this.seq + 1} to ${head.seq} are cut off`);
    else if (head.seq < this.seq) this.blame('edited', `events after ${head.seq} are not covered by the signed head`);
    else if (head.hash !== this.hash.toString('hex')) this.blame('edited', 'the chain does not end in the signed hash');
  }

  private blame(fault: ExportFault, message: string, line: number | null = this.line): void {
    if (this.report.problems.length < MAX_PROBLEMS) this.report.problems.push({ fault, line, message });
  }
}

/** A number of microseconds as the chain holds it, in 64 bits. */
function isMicros(text: string): boolean {
  return MICROS.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

function isHex32(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && HEX_32.test(value);
}

function readSignedHead(line: JsonObject): SignedHead | null {
  const { kind, organization_id, session_id, seq, hash, key_id, signed_at, signature, ...rest } = line;
  const texts = [organization_id, session_id, hash, key_id, signed_at, signature];
  if (kind !== 'head' || Object.keys(rest).length > 0 || typeof seq !== 'number') return null;
  if (texts.some((text) => typeof text !== 'string')) return null;
  return { organization_id, session_id, seq, hash, key_id, signed_at, signature } as SignedHead;
}

/** The object of a canonical line, else null. */
function parseLine(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) && canonicalJson(value) === text ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
}
