import { parseJsonObject } from '../../domain/json.js';
import type { Sealer } from '../../platform/seal/sealer.js';
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

/** A text far longer than any ticket is not decoded. */
const MAX_TOKEN_CHARS = 2000;

/** @param deployment the organization whose key seals what travels (docs/design/sealing.md) */
export async function sealFlowTicket(sealer: Sealer, deployment: string, ticket: FlowTicket): Promise<string> {
  const { step, flowId, registrationId, expiresAtMs } = ticket;
  const wire: Wire = { step, flow: flowId, app: registrationId, end: expiresAtMs };
  return (await sealer.sealTransit(deployment, 'codehost-app-flow', JSON.stringify(wire))).toString('base64url');
}

/** Null for a text that we did not issue for this step, or that has expired. */
export async function openFlowTicket(
  sealer: Sealer,
  deployment: string,
  step: FlowStep,
  token: string,
): Promise<FlowTicket | null> {
  if (token.length > MAX_TOKEN_CHARS || !/^[A-Za-z0-9_-]+$/.test(token)) return null;
  const opened = await sealer.openTransit(deployment, 'codehost-app-flow', Buffer.from(token, 'base64url'));
  if (opened === null) return null;
  // Under the legacy key it may be a text that was sealed for another purpose, and none of those names a step.
  const wire = parseJsonObject(opened) as Wire | null;
  if (wire?.step !== step || wire.end <= Date.now()) return null;
  return { step, flowId: wire.flow, registrationId: wire.app, expiresAtMs: wire.end };
}
