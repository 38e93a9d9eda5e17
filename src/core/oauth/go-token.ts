import type { Sealer } from '../../platform/seal/sealer.js';
import { openToken, sealToken } from '../seal/transit-token.js';

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

/** @param deployment the organization whose key seals what travels (docs/design/sealing.md) */
export async function sealTicket(sealer: Sealer, deployment: string, ticket: GoTicket): Promise<string> {
  const { organizationId, flowId, state, browser, expiresAtMs } = ticket;
  const wire: Wire = { o: organizationId, f: flowId, s: state, c: browser, x: expiresAtMs };
  return sealToken({ sealer, deployment, purpose: 'oauth-boot' }, wire);
}

/** Null for a text that we did not issue, or that has expired. */
export async function openTicket(sealer: Sealer, deployment: string, token: string): Promise<GoTicket | null> {
  // None of another purpose names an organization.
  const wire = (await openToken({ sealer, deployment, purpose: 'oauth-boot' }, token)) as Wire | null;
  if (wire?.o === undefined || wire.x <= Date.now()) return null;
  return { organizationId: wire.o, flowId: wire.f, state: wire.s, browser: wire.c, expiresAtMs: wire.x };
}
