import { hash } from 'node:crypto';
import { canonicalJson } from '../digest/canonical-json.js';
import { isRawNumber, type ExactJson } from '../digest/exact-json.js';
import type { EventActor } from '../events/event-kinds.js';
import type { JsonObject } from '../json.js';
import { redactJson } from '../redaction/redact-json.js';

export const BODY_VERSION = 1;

/** What the chain commits to for one event: RFC 8785 text of {actor, data, type, version} and its SHA-256 in hex. */
export interface EventBody {
  text: string;
  digest: string;
}

/** The parts of an event that the chain commits to. */
interface EventParts {
  actor: EventActor;
  type: string;
  data: JsonObject;
}

/** Redacts, normalises and digests an event for the ledger (docs/design/events.md). The event itself is not changed. */
export function makeEventBody(event: EventParts): EventBody {
  const text = bodyText(event.actor, event.type, BODY_VERSION, redactJson(event.data));
  return { text, digest: hash('sha256', text, 'hex') };
}

/** The digest of a stored event, taken anew from its parts. */
export function digestStoredBody(actor: string, type: string, version: number, data: JsonObject): string {
  return hash('sha256', bodyText(actor, type, version, data), 'hex');
}

function bodyText(actor: EventActor | (string & {}), type: string, version: number, data: JsonObject): string {
  return canonicalJson({ actor, data: asDoubles(data), type, version });
}

/**
 * The ledger keeps numbers as doubles, because that is how every reader of JSON will see them; a literal that a parser
 * kept by its source text becomes the double, or text when no double can hold it.
 */
function asDoubles(value: ExactJson): ExactJson {
  if (!containsRawNumber(value)) return value;
  if (isRawNumber(value)) {
    const double = Number(value.rawJSON);
    return Number.isFinite(double) ? double : value.rawJSON;
  }
  if (Array.isArray(value)) return value.map(asDoubles);
  const members = Object.entries(value as { [key: string]: ExactJson });
  return Object.fromEntries(members.map(([key, member]) => [key, asDoubles(member)]));
}

function containsRawNumber(value: ExactJson): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (isRawNumber(value)) return true;
  return (Array.isArray(value) ? value : Object.values(value)).some((member) => containsRawNumber(member));
}
