import type { Sealer } from '../../platform/seal/sealer.js';
import { openToken, sealToken } from '../seal/transit-token.js';
import type { FlowPurpose } from './app-flow.entity.js';

/** Which leg of a flow a token is for: our link, or the `state` that rides through the code host. */
export type FlowStep = 'boot' | FlowPurpose;

/** What a token of a flow says, sealed (docs/design/code-host-apps.md). */
export interface FlowTicket {
  step: FlowStep;
  flowId: string;
  registrationId: string;
  expiresAtMs: number;
}

type Wire = { step: FlowStep; flow: string; app: string; end: number };

/** @param deployment the organization whose key seals what travels (docs/design/sealing.md) */
export async function sealFlowTicket(sealer: Sealer, deployment: string, ticket: FlowTicket): Promise<string> {
  const { step, flowId, registrationId, expiresAtMs } = ticket;
  const wire: Wire = { step, flow: flowId, app: registrationId, end: expiresAtMs };
  return sealToken({ sealer, deployment, purpose: 'codehost-app-flow' }, wire);
}

/** Null for a text that we did not issue for this step, or that has expired. */
export async function openFlowTicket(
  sealer: Sealer,
  deployment: string,
  step: FlowStep,
  token: string,
): Promise<FlowTicket | null> {
  // None of another purpose names a step.
  const wire = (await openToken({ sealer, deployment, purpose: 'codehost-app-flow' }, token)) as Wire | null;
  if (wire?.step !== step || wire.end <= Date.now()) return null;
  return { step, flowId: wire.flow, registrationId: wire.app, expiresAtMs: wire.end };
}
