import { isUtf8 } from 'node:buffer';
import { canonicalJson } from '../digest/canonical-json.js';
import type { JsonObject } from '../json.js';
import type { SignedHead } from './signed-head.js';

/**
 * A ledger export is JSON lines, each in its RFC 8785 form and ended by LF: one header, every event in order, one signed
 * head. Each content has exactly one form, so no byte can change unnoticed.
 */
export const EXPORT_FORMAT = 'sandgate-ledger';
export const EXPORT_VERSION = 1;

export interface ExportHeader {
  kind: 'header';
  format: string;
  version: number;
  organization_id: string;
  session_id: string;
}

export interface ExportEvent {
  kind: 'event';
  seq: number;
  event_id: string;
  /** Decimal microseconds since 1970, UTC; text, because it may exceed what a double counts exactly. */
  occurred_at_us: string;
  actor: string;
  type: string;
  version: number;
  data: JsonObject;
  /** Hex. */
  body_digest: string;
  /** Hex. */
  hash: string;
}

export interface ExportHead extends SignedHead {
  kind: 'head';
}

export type ExportLine = ExportHeader | ExportEvent | ExportHead;

export function exportHeader(organizationId: string, sessionId: string): ExportHeader {
  return {
    kind: 'header',
    format: EXPORT_FORMAT,
    version: EXPORT_VERSION,
    organization_id: organizationId,
    session_id: sessionId,
  };
}

/** One line, without its line end. */
export function writeExportLine(line: ExportLine): string {
  return canonicalJson({ ...line });
}

/** The lines of an export, split on LF alone; null for bytes that are not UTF-8. */
export function splitExport(content: Uint8Array): string[] | null {
  if (!isUtf8(content)) return null;
  const lines = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('utf8').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
