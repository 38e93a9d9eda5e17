import type { JsonObject } from '../../../../src/domain/json.js';
import { invalidMember } from '../errors.js';
import { normalizeName } from '../names/normalize-name.js';

const MAX_METADATA_BYTES = 16_384;
export const MAX_LABELS = 50;

/** @throws DocsvcError `invalid_request` for metadata that is larger than 16 KiB as JSON */
export function checkMetadata(metadata: JsonObject): JsonObject {
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes <= MAX_METADATA_BYTES) return metadata;
  throw invalidMember('metadata', `has ${bytes} bytes as JSON, more than ${MAX_METADATA_BYTES}`, 'too_large');
}

/** Labels in the form of names, each once. @throws DocsvcError `invalid_request` */
export function normalizeLabels(labels: readonly string[]): string[] {
  return [...new Set(labels.map((label, at) => normalizeName(label, `labels[${at}]`)))];
}
