import { randomUUID } from 'node:crypto';
import type { ExactJson } from '../../../domain/digest/exact-json.js';
import { isExactObject } from '../../../domain/digest/exact-json.js';
import { isStorableName, MAX_NAME_CHARACTERS } from '../../../platform/db/storable-text.js';
import type { PlaneBody } from '../body/plane-body.js';

/** A tool call as a runner presents it (chapter 20 §4). */
export interface ToolCallRequest {
  toolCallId: string;
  tool: string;
  /** Absent counts as null, which is not `{}`. */
  input: ExactJson;
}

/** A body that is no tool call: denied and recorded, because runners repeat any other answer for ever (04-sandbox §6). */
export interface UnreadableCall {
  /** Made up where the body names none, so that the denial has a row and counts against the budget. */
  toolCallId: string;
  tool: string;
  reason: string;
}

export type ReadToolCall = { kind: 'call'; call: ToolCallRequest } | { kind: 'unreadable'; call: UnreadableCall };

/** JSON values in the body of a call. */
export const MAX_CALL_VALUES = 65_536;
const UNKNOWN_TOOL = 'unknown';

function nameMember(value: ExactJson | undefined): string | null {
  return typeof value === 'string' && value !== '' && isStorableName(value) ? value : null;
}

/** Whether a value holds a key that other JSON readers would take for an object's prototype. */
function namesPrototype(value: ExactJson): boolean {
  if (Array.isArray(value)) return value.some(namesPrototype);
  if (!isExactObject(value)) return false;
  return Object.entries(value).some(
    ([key, member]) => key === '__proto__' || isPrototypePath(key, member) || namesPrototype(member),
  );
}

function isPrototypePath(key: string, member: ExactJson): boolean {
  return key === 'constructor' && isExactObject(member) && Object.hasOwn(member, 'prototype');
}

function unreadable(body: ExactJson, reason: string): ReadToolCall {
  const members = isExactObject(body) ? body : {};
  const toolCallId = nameMember(members['tool_call_id']) ?? `unreadable_${randomUUID()}`;
  return {
    kind: 'unreadable',
    call: { toolCallId, tool: nameMember(members['tool']) ?? UNKNOWN_TOOL, reason },
  };
}

/** Reads a tool call. Never throws: what cannot be judged comes back with the reason for its denial. */
export function readToolCall(body: PlaneBody): ReadToolCall {
  if (body.kind === 'unreadable') return unreadable(null, body.failure.message);
  const { value } = body;
  if (!isExactObject(value)) return unreadable(value, 'the request body must be a JSON object');
  const toolCallId = nameMember(value['tool_call_id']);
  if (toolCallId === null)
    return unreadable(value, `tool_call_id: a text of 1 to ${MAX_NAME_CHARACTERS} characters is required`);
  const tool = nameMember(value['tool']);
  if (tool === null) return unreadable(value, `tool: a text of 1 to ${MAX_NAME_CHARACTERS} characters is required`);
  const input = value['input'] ?? null;
  if (namesPrototype(input)) return unreadable(value, 'input: a key named after an object prototype is refused');
  return { kind: 'call', call: { toolCallId, tool, input } };
}
