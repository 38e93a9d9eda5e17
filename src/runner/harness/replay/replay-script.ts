import { isJsonObject } from '../../../domain/json.js';
import type { JsonObject } from '../../../domain/json.js';
import { parseProbe } from '../../probe/probe-step.js';
import type { ProbeItem } from '../../probe/probe-step.js';

export type ReplayStep =
  | { kind: 'say'; text: string }
  | { kind: 'probe'; items: ProbeItem[] }
  | { kind: 'call'; tool: string; input: JsonObject; onDenySay: string | null; timeoutMs: number | null };

/** The script cannot be performed; the message names the step, counted from 1. */
export class ReplayScriptError extends Error {
  override readonly name = 'ReplayScriptError';
}

const MAX_STEPS = 5_000;
const SAY_MEMBERS = new Set(['say']);
const CALL_MEMBERS = new Set(['tool', 'input', 'on_deny_say', 'timeout_ms']);

/**
 * Reads the whole script before anything is done: steps are exactly `{say}`, `{tool, input, on_deny_say?,
 * timeout_ms?}`, or `{probe}` (docs/runner-contract.md).
 */
export function parseReplayScript(task: string): ReplayStep[] {
  const steps = parseJson(task);
  if (!Array.isArray(steps)) throw new ReplayScriptError('the task of a replay run must be a JSON array of steps');
  if (steps.length === 0 || steps.length > MAX_STEPS)
    throw new ReplayScriptError(`the script must have 1 to ${MAX_STEPS} steps`);
  return steps.map((step: unknown, index) => parseStep(step, `step ${index + 1}`));
}

function parseJson(task: string): unknown {
  try {
    return JSON.parse(task);
  } catch {
    // The parser's message quotes the task, and errors are recorded.
    throw new ReplayScriptError('the task of a replay run must be a JSON array of steps');
  }
}

function parseStep(step: unknown, place: string): ReplayStep {
  if (!isJsonObject(step)) throw new ReplayScriptError(`${place} is not an object`);
  if (Object.hasOwn(step, 'probe')) return parseProbeStep(step, place);
  const saying = Object.hasOwn(step, 'say');
  if (saying === Object.hasOwn(step, 'tool'))
    throw new ReplayScriptError(`${place} must have exactly one of say and tool`);
  const known = saying ? SAY_MEMBERS : CALL_MEMBERS;
  if (Object.keys(step).some((name) => !known.has(name)))
    throw new ReplayScriptError(`${place} has a member that its kind does not know`);
  return saying ? { kind: 'say', text: text(step, 'say', place) } : parseCall(step, place);
}

function parseProbeStep(step: JsonObject, place: string): ReplayStep {
  if (Object.keys(step).length > 1) throw new ReplayScriptError(`${place} must have nothing beside probe`);
  const items = parseProbe(step['probe']);
  if (typeof items === 'string') throw new ReplayScriptError(`${place}: ${items}`);
  return { kind: 'probe', items };
}

function parseCall(step: JsonObject, place: string): ReplayStep {
  const { input, timeout_ms: timeoutMs = null } = step;
  if (!isJsonObject(input)) throw new ReplayScriptError(`${place}: input must be an object`);
  if (timeoutMs !== null && !(typeof timeoutMs === 'number' && Number.isSafeInteger(timeoutMs) && timeoutMs > 0)) {
    throw new ReplayScriptError(`${place}: timeout_ms must be a positive integer`);
  }
  const onDenySay = Object.hasOwn(step, 'on_deny_say') ? text(step, 'on_deny_say', place) : null;
  return { kind: 'call', tool: text(step, 'tool', place), input, onDenySay, timeoutMs };
}

function text(step: JsonObject, member: string, place: string): string {
  const value = step[member];
  if (typeof value !== 'string' || value === '')
    throw new ReplayScriptError(`${place}: ${member} must be a non-empty string`);
  return value;
}
