import { isExactObject } from '../../../domain/digest/exact-json.js';
import type { ExactJson, ExactObject } from '../../../domain/digest/exact-json.js';
import { SandgateError } from '../../../domain/errors.js';
import { SERVER_EVENT_TYPES } from '../../../domain/events/event-kinds.js';
import type { EventActor, RunnerEvent } from '../../../domain/events/event-kinds.js';
import { GATE_MESSAGES } from '../../../domain/gate/messages.js';
import type { JsonObject } from '../../../domain/json.js';
import { findUnstorable } from '../../../domain/storage/storable-json.js';
import { objectBody } from './body-member.js';

const SERVER_TYPES: ReadonlySet<string> = new Set<string>(SERVER_EVENT_TYPES);
/** Families that the server alone writes, those of later versions included. */
const SERVER_FAMILIES = [
  'session.',
  'approval.',
  'artifact.',
  'callback.',
  'network.',
  'capability.',
  'budget.',
  'model.',
];
const MAX_TYPE_CHARACTERS = 128;

type MemberType = 'string' | 'boolean' | 'number' | 'nullable_string' | 'nullable_number';

/** Members of the kinds that a runner may post; what else stands beside them is dropped (docs/design/runner.md). */
const KNOWN: ReadonlyMap<string, Record<string, MemberType>> = new Map([
  ['agent.message', { role: 'string', text: 'string' }],
  ['tool.completed', { tool_call_id: 'string', tool: 'string', ok: 'boolean', summary: 'nullable_string' }],
  ['run.error', { message: 'string' }],
  ['setup.started', { commands: 'number' }],
  ['setup.command', { index: 'number', tool_call_id: 'string', exit_code: 'nullable_number', duration_ms: 'number' }],
  ['setup.finished', { ok: 'boolean', duration_ms: 'number', reason: 'nullable_string' }],
]);

export type PostedEvent = { kind: 'event'; event: RunnerEvent } | { kind: 'dropped'; type: string };

function fits(value: ExactJson | undefined, type: MemberType): boolean {
  if (type === 'nullable_string') return value === undefined || value === null || typeof value === 'string';
  if (type === 'nullable_number') return value === undefined || value === null || typeof value === 'number';
  return typeof value === type;
}

/** A known kind keeps its own members only; one with wrong data stays as it was posted. */
function knownMembers(type: string, data: ExactObject): ExactObject {
  const members = KNOWN.get(type);
  if (members === undefined) return data;
  const entries = Object.entries(members);
  if (!entries.every(([name, kind]) => fits(data[name], kind))) return data;
  return Object.fromEntries(entries.filter(([name]) => data[name] !== undefined).map(([name]) => [name, data[name]!]));
}

/** A runner speaks for its agent or for itself; whatever else it claims to be is the harness. */
function actorOf(claimed: ExactJson | undefined): EventActor {
  return claimed === 'agent' ? 'agent' : 'harness';
}

/** Reads a posted event. Kinds that the server alone writes are dropped, and so is narrative that is not to be recorded. */
export function readPostedEvent(body: ExactJson, recordsAgentMessages: boolean): PostedEvent {
  const envelope = objectBody(body);
  const inner = envelope['body'];
  if (!isExactObject(inner))
    throw new SandgateError('invalid_request', 'body: an object with type and data is required');
  const type = typeof inner['type'] === 'string' && inner['type'] !== '' ? inner['type'] : 'unknown';
  if (type.length > MAX_TYPE_CHARACTERS) {
    throw new SandgateError('invalid_request', `body.type: longer than ${MAX_TYPE_CHARACTERS} characters`);
  }
  refuseUnstorable('body.type', type);
  if (SERVER_TYPES.has(type) || SERVER_FAMILIES.some((family) => type.startsWith(family)))
    return { kind: 'dropped', type };
  if (type === 'agent.message' && !recordsAgentMessages) return { kind: 'dropped', type };
  const data = inner['data'] ?? {};
  if (!isExactObject(data)) throw new SandgateError('invalid_request', 'body.data: an object is required');
  refuseUnstorable('body.data', data);
  // Numbers in narrative are for reading; the ledger takes plain ones.
  const plain = JSON.parse(JSON.stringify(knownMembers(type, data))) as JsonObject;
  return { kind: 'event', event: { actor: actorOf(envelope['actor']), type, data: plain, posted: true } };
}

/** The ledger would replace such text in the data, but not in a kind; a runner that is told can correct what it posts. */
function refuseUnstorable(member: string, value: ExactJson): void {
  const problem = findUnstorable(value);
  if (problem === null) return;
  const { textNotStorable, numberNotStorable } = GATE_MESSAGES;
  throw new SandgateError('invalid_request', `${member}: ${problem === 'text' ? textNotStorable : numberNotStorable}`);
}
