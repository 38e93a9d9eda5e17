import { parseJsonObject } from '../../domain/json.js';
import type { Sealer } from '../../platform/seal/sealer.js';

/** What a go_url carries, sealed: whose browser may bind itself to which flow (docs/design/oauth.md). */
export interface GoTicket {
  organizationId: string;
  flowId: string;
  /** The `state` of the authorization request. */
  state: string;
  /** The value of the flow's cookie. */
  browser: string;
  expiresAtMs: number;
}

type Wire = { o: string; f: string; s: string; c: string; x: number };

/** A text far longer than any ticket is not decoded. */
const MAX_TOKEN_CHARS = 6000;

/** @param deployment the organization whose key seals what travels (docs/design/sealing.md) */
export async function sealTicket(sealer: Sealer, deployment: string, ticket: GoTicket): Promise<string> {
  const { organizationId, flowId, state, browser, expiresAtMs } = ticket;
  const wire: Wire = { o: organizationId, f: flowId, s: state, c: browser, x: expiresAtMs };
  return (await sealer.sealTransit(deployment, 'oauth-boot', JSON.stringify(wire))).toString('base64url');
}

/** Null for a text that we did not issue, or that has expired. */
export async function openTicket(sealer: Sealer, deployment: string, token: string): Promise<GoTicket | null> {
  if (token.length > MAX_TOKEN_CHARS || !/^[A-Za-z0-9_-]+$/.test(token)) return null;
  const opened = await sealer.openTransit(deployment, 'oauth-boot', Buffer.from(token, 'base64url'));
  if (opened === null) return null;
  // Under the legacy key it may be a text that was sealed for another purpose, and none of those names an organization.
  const wire = parseJsonObject(opened) as Wire | null;
  if (wire?.o === undefined || wire.x <= Date.now()) return null;
  return { organizationId: wire.o, flowId: wire.f, state: wire.s, browser: wire.c, expiresAtMs: wire.x };
}
