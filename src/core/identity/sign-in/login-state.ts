import type { Sealer } from '../../../platform/seal/sealer.js';
import { openToken, sealToken } from '../../seal/transit-token.js';

const PURPOSE = 'login';
const VERSION = 1;

/** What the `state` of a login says, sealed: which login a callback finishes. */
export interface LoginState {
  flowId: string;
  organizationId: string;
  configId: string;
  expiresAtMs: number;
}

type Wire = { p: string; v: number; f: string; o: string; c: string; x: number };

/** @param deployment the organization whose key seals what travels (docs/design/sealing.md) */
export function sealState(sealer: Sealer, deployment: string, state: LoginState): Promise<string> {
  const { flowId, organizationId, configId, expiresAtMs } = state;
  const wire: Wire = { p: PURPOSE, v: VERSION, f: flowId, o: organizationId, c: configId, x: expiresAtMs };
  return sealToken({ sealer, deployment, purpose: PURPOSE }, wire);
}

/** Null for a text that we did not issue for a login, or that has expired. */
export async function openState(sealer: Sealer, deployment: string, token: string): Promise<LoginState | null> {
  const wire = (await openToken({ sealer, deployment, purpose: PURPOSE }, token)) as Wire | null;
  // The legacy key does not tell purposes apart; none of another purpose says this one.
  if (wire?.p !== PURPOSE || wire.v !== VERSION || wire.x <= Date.now()) return null;
  return { flowId: wire.f, organizationId: wire.o, configId: wire.c, expiresAtMs: wire.x };
}
