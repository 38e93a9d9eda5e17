import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../../../domain/json.js';
import type { JsonObject, JsonValue } from '../../../domain/json.js';
import type { Approval, RunEvent, Session } from '../../server/wire.js';
import { fail, pass } from '../check.js';
import type { CheckInfo, Finding } from '../check.js';

/** What the runner plane answered to one probe, as it was seen from inside the sandbox. */
export interface Observation {
  id: string;
  ms: number;
  status?: number;
  headers?: JsonObject;
  body?: JsonValue;
  /** Set when no answer came. */
  failure?: string;
}

/** Everything that one run of the kit left behind: its observations, and its record as `/v1` shows it. */
export class Evidence {
  constructor(
    readonly session: Session,
    readonly observations: readonly Observation[],
    readonly events: readonly RunEvent[],
    readonly approvals: readonly Approval[],
  ) {}

  find(id: string): Observation | undefined {
    return this.observations.find((observation) => observation.id === id);
  }

  /** Data of the events of a kind, those of one tool call when it is named. */
  dataOf(type: string, toolCallId?: string): JsonObject[] {
    return this.events
      .filter((event) => event.type === type)
      .map((event) => event.payload.data as JsonObject)
      .filter((data) => toolCallId === undefined || data['tool_call_id'] === toolCallId);
  }
}

export interface ServerCheck extends CheckInfo {
  expected: string;
  judge: (evidence: Evidence) => Finding;
}

/** What an answer must look like. Without `body` and `where` only its status counts. */
export interface Expected {
  status: number;
  /** The whole body. */
  body?: JsonValue;
  /** A condition in words, and the condition. */
  where?: readonly [string, (body: JsonObject, observation: Observation) => boolean];
}

/** A check that every probe named was answered as expected. */
export function answered(
  id: string,
  section: number,
  title: string,
  probes: readonly string[],
  expected: Expected,
): ServerCheck {
  const words = `${expected.status}${expected.body === undefined ? '' : ` ${JSON.stringify(expected.body)}`}`;
  return {
    id,
    section,
    title,
    expected: expected.where === undefined ? words : `${words} with ${expected.where[0]}`,
    judge: (evidence) => {
      for (const probe of probes) {
        const observation = evidence.find(probe);
        if (observation === undefined) return fail(notObserved(probe, evidence));
        if (!meets(observation, expected)) return fail(`${probe}: ${describe(observation)}`);
      }
      return pass(probes.length === 1 ? describe(evidence.find(probes[0] ?? '')) : `${probes.length} such answers`);
    },
  };
}

/** A check on the record of the run, or on several answers together. `judge` answers what is wrong, or null. */
export function recorded(
  id: string,
  section: number,
  title: string,
  expected: string,
  judge: (evidence: Evidence) => string | null,
): ServerCheck {
  return {
    id,
    section,
    title,
    expected,
    judge: (evidence) => {
      const wrong = judge(evidence);
      return wrong === null ? pass(expected) : fail(wrong);
    },
  };
}

export function describe(observation: Observation | undefined): string {
  if (observation === undefined) return 'nothing';
  if (observation.failure !== undefined) return `${observation.failure} after ${observation.ms} ms`;
  return `${observation.status} ${JSON.stringify(observation.body)?.slice(0, 300)}`;
}

function meets(observation: Observation, { status, body, where }: Expected): boolean {
  if (observation.status !== status) return false;
  if (body !== undefined && !isDeepStrictEqual(observation.body, body)) return false;
  if (where === undefined) return true;
  return isJsonObject(observation.body) && where[1](observation.body, observation);
}

function notObserved(probe: string, { session }: Evidence): string {
  return `${probe} was not observed; the run ended ${session.status}: ${session.status_reason ?? session.result_summary ?? 'no reason'}`;
}
