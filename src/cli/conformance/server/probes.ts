import type { JsonObject, JsonValue } from '../../../domain/json.js';
import { textOf } from '../../server/event-data.js';

/** Session routes in the form with the run's id; the short forms have checks of their own. */
const RUN = '/internal/sessions/{id}';

const toPlane =
  (as: string, path: string) =>
  (id: string, body?: JsonValue, more: JsonObject = {}): JsonObject => ({
    id,
    as,
    path,
    ...(body === undefined ? {} : { body }),
    ...more,
  });

/** Asks the gate about a call under the id of the probe's last part. */
export function call(toolCallId: string, tool: string, input: JsonValue = {}): JsonObject {
  return { tool_call_id: toolCallId, tool, input };
}

export const permission = toPlane('tool', `${RUN}/permission`);
export const toolsCall = toPlane('tool', `${RUN}/tools/call`);
export const events = toPlane('control', `${RUN}/events`);
export const heartbeat = toPlane('control', `${RUN}/heartbeat`);
export const result = toPlane('control', `${RUN}/result`);
export const renew = toPlane('control', '/internal/token/renew');
export const model = toPlane('llm', '/internal/llm/v1/messages');

export function event(type: string, data: JsonObject, actor = 'harness'): JsonObject {
  return { actor, body: { type, data } };
}

export function withKey(key: string): JsonObject {
  return { headers: { 'idempotency-key': key } };
}

/** Ids under which the observations of probes stand. */
export function idsOf(probes: readonly JsonObject[]): string[] {
  return probes.map((probe) => textOf(probe, 'id'));
}
