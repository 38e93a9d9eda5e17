import { randomUUID } from 'node:crypto';
import { digestOf, digestOfText } from '../../../domain/digest/digest.js';
import type { ExactJson } from '../../../domain/digest/exact-json.js';
import { isExactObject } from '../../../domain/digest/exact-json.js';
import { readOuterStrings } from '../../../domain/digest/outer-strings.js';
import { JsonBoundsError } from '../../../domain/digest/parse-json.js';
import { GATE_MESSAGES } from '../../../domain/gate/messages.js';
import { findUnstorable } from '../../../domain/storage/storable-json.js';
import { isStorableName, isStorableText, MAX_NAME_CHARACTERS } from '../../../domain/storage/storable-text.js';
import type { RunnerBody } from './runner-body.js';

/** A tool call as a runner presents it (docs/design/runner.md). */
export interface ToolCallRequest {
  toolCallId: string;
  tool: string;
  /** Absent counts as null, which is not `{}`. */
  input: ExactJson;
}

/** A body that is no tool call: denied and recorded, because runners repeat any other answer for ever. */
export interface UnreadableCall {
  /** One that can be recorded: made of what the body gives, so that a repetition has the same, or made up where it gives nothing. */
  toolCallId: string;
  /** Null where the body names none that can be recorded. */
  tool: string | null;
  /** Whether it is a call all the same, by its id and its tool; what it holds is the reason for its denial. */
  isCall: boolean;
  /** `sha256:` + 64 hex over what could be read of the input. */
  inputDigest: string;
  /** Holds nothing of what cannot be stored. */
  reason: string;
}

export type ReadToolCall = { kind: 'call'; call: ToolCallRequest } | { kind: 'unreadable'; call: UnreadableCall };

/** JSON values in the body of a call. */
export const MAX_CALL_VALUES = 65_536;
const NAME_DIGITS = 32;

/** Reads a tool call. Never throws: what cannot be judged comes back with the reason for its denial. */
export function readToolCall(body: RunnerBody): ReadToolCall {
  if (body.kind === 'unreadable') return unparsed(body);
  const { value } = body;
  if (!isExactObject(value)) return unreadable({}, 'the request body must be a JSON object');
  const { tool_call_id: toolCallId = null, tool = null, input = null } = value;
  const problem = problemOfName('tool_call_id', toolCallId) ?? problemOfName('tool', tool) ?? problemOfInput(input);
  if (problem !== null || typeof toolCallId !== 'string' || typeof tool !== 'string')
    return unreadable({ toolCallId, tool }, problem ?? '', digestOf(input));
  return { kind: 'call', call: { toolCallId, tool, input } };
}

/** A text that is too large or too deep to parse may still name its call. */
function unparsed({ failure, text }: Extract<RunnerBody, { kind: 'unreadable' }>): ReadToolCall {
  if (text === null || !(failure instanceof JsonBoundsError)) return unreadable({}, failure.message);
  const members = readOuterStrings(text, ['tool_call_id', 'tool']);
  const named = { toolCallId: members.get('tool_call_id') ?? null, tool: members.get('tool') ?? null };
  return unreadable(named, failure.message, digestOfText(text));
}

function unreadable(
  { toolCallId = null, tool = null }: { toolCallId?: ExactJson; tool?: ExactJson },
  reason: string,
  inputDigest = digestOf(null),
): ReadToolCall {
  return {
    kind: 'unreadable',
    call: {
      toolCallId: recordableId(toolCallId),
      tool: typeof tool === 'string' && problemOfName('tool', tool) === null ? tool : null,
      isCall: isName(toolCallId) && isName(tool),
      inputDigest,
      reason,
    },
  };
}

function isName(value: ExactJson): value is string {
  return typeof value === 'string' && value !== '';
}

/** An id that cannot be recorded is recorded by its digest. */
function recordableId(given: ExactJson): string {
  if (isName(given) && isStorableName(given)) return given;
  const name =
    given === null || given === '' ? randomUUID() : digestOf(given).slice('sha256:'.length).slice(0, NAME_DIGITS);
  return `unreadable_${name}`;
}

function problemOfName(member: string, value: ExactJson): string | null {
  if (!isName(value) || value.length > MAX_NAME_CHARACTERS)
    return `${member}: a text of 1 to ${MAX_NAME_CHARACTERS} characters is required`;
  return isStorableText(value) ? null : `${member}: ${GATE_MESSAGES.textNotStorable}`;
}

/** One rule for all that a call may hold, so that nothing behind it meets what PostgreSQL would refuse. */
function problemOfInput(input: ExactJson): string | null {
  switch (findUnstorable(input)) {
    case 'text':
      return `the input ${GATE_MESSAGES.textNotStorable}`;
    case 'number':
      return `the input ${GATE_MESSAGES.numberNotStorable}`;
    case null:
      return namesPrototype(input) ? 'input: a key named after an object prototype is refused' : null;
  }
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
