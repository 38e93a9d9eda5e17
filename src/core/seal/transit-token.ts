import { parseJsonObject, type JsonObject } from '../../domain/json.js';
import type { Sealer, TransitPurpose } from '../../platform/seal/sealer.js';

/** A text far longer than any token is not decoded. */
const MAX_CHARS = 6000;

/** What a token is sealed with, and what for. */
export interface TokenSeal {
  sealer: Sealer;
  /** The organization whose key seals what travels (docs/design/sealing.md). */
  deployment: string;
  purpose: TransitPurpose;
}

/** A text for an address: it travels through a browser, which can neither read nor change what it says. */
export async function sealToken({ sealer, deployment, purpose }: TokenSeal, says: JsonObject): Promise<string> {
  return (await sealer.sealTransit(deployment, purpose, JSON.stringify(says))).toString('base64url');
}

/** Null for a text that we did not issue. Under the legacy key it may have been issued for another purpose. */
export async function openToken({ sealer, deployment, purpose }: TokenSeal, token: string): Promise<JsonObject | null> {
  if (token.length > MAX_CHARS || !/^[A-Za-z0-9_-]+$/.test(token)) return null;
  const opened = await sealer.openTransit(deployment, purpose, Buffer.from(token, 'base64url'));
  return opened === null ? null : (parseJsonObject(opened) ?? null);
}
