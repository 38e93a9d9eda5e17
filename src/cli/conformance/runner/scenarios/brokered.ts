import { isDeepStrictEqual } from 'node:util';
import { asText } from '../../../server/event-data.js';
import { asksFor, gapsBetween, obligation } from '../record.js';
import type { RunnerRecord } from '../record.js';
import { SERVICE_TOOL, type Scenario } from '../scenario.js';
import type { Fault, ContractRequest } from '../contract-traffic.js';

const UNAVAILABLE: Fault = { status: 503, body: { error: 'away' } };
/** The fate of each presentation: of the first call, of a refused one, of one that is rate limited, of one without an answer. */
const FAULTS: readonly Fault[] = [
  ...['cut' as const, UNAVAILABLE, null],
  { status: 400, body: { error: 'session is not active' } },
  { status: 429, body: { error: 'later' }, headers: { 'retry-after': '1' } },
  ...[UNAVAILABLE, UNAVAILABLE, UNAVAILABLE],
];
const WAITS_SECS = [0.5, 1.5];
const MAY_HAVE_EXECUTED = /may have (been )?executed/i;

/** The presentations of each call, by its id, in the order of the calls. */
function callsOf({ plane }: RunnerRecord): ContractRequest[][] {
  return [...Map.groupBy(plane.of('tools/call'), ({ body }) => asText(body['tool_call_id'])).values()];
}

function shapeOf(record: RunnerRecord): string {
  const counts = callsOf(record).map((call) => call.length);
  return `presentations by id: ${counts.join(', ') || 'none'}`;
}

export const brokered: Scenario = {
  name: 'connected services',
  services: [{ q: 'same' }, { q: 'same' }, { q: 'same' }, { q: 'same' }],
  commands: ['echo one > call-1'],
  plane: () => ({
    fault: (route, attempt) => (route === 'tools/call' ? (FAULTS[attempt - 1] ?? null) : null),
    callTool: () => ({ ok: true, result: { content: [{ type: 'text', text: 'found' }], is_error: false } }),
  }),
  limitSecs: 60,
  obligations: [
    obligation(
      'runner/broker-ids',
      5,
      'Each call of a connected service has an id of its own, whatever its arguments',
      'four ids',
      (record) => (callsOf(record).length === 4 ? null : shapeOf(record)),
    ),
    obligation(
      'runner/broker-retries',
      5,
      'A call that got no answer is presented again, with the same id and content, after 0.5 s and 1.5 s',
      'three equal presentations of the first call',
      (record) => {
        const first = record.plane.of('tools/call').slice(0, 3);
        if (first.length < 3) return `${first.length} presentations`;
        if (!first.every(({ body }) => isDeepStrictEqual(body, first[0]?.body))) return 'the presentations differ';
        const gaps = gapsBetween(first);
        const early = gaps.some((gap, n) => gap < 0.9 * record.clock.ms(WAITS_SECS[n] ?? 0));
        return early ? `waits of ${gaps.map((gap) => `${Math.round(gap)} ms`).join(', ')}` : null;
      },
    ),
    obligation(
      'runner/broker-refusals',
      5,
      'A refusal with a 4xx is an answer: the call is not presented again',
      'the second and the third call once each',
      (record) => {
        const [, second = [], third = []] = callsOf(record);
        return second.length === 1 && third.length === 1 ? null : shapeOf(record);
      },
    ),
    obligation(
      'runner/broker-gives-up',
      5,
      'A call without any answer is let go after three presentations, and the run goes on',
      'three presentations of the last call, then the command',
      (record) => {
        const last = callsOf(record).at(-1) ?? [];
        if (last.length !== 3) return shapeOf(record);
        return asksFor(record, 1).length === 0 ? 'the run did not go on' : null;
      },
    ),
    obligation(
      'runner/broker-unanswered',
      5,
      'Of a call without any answer the agent is told that it may have been executed',
      'the words "may have executed" in a later request to the model, or in the story of the run',
      ({ plane }) => {
        const told = [...plane.messages(), ...plane.of('llm').map(({ body }) => JSON.stringify(body))];
        return told.some((text) => MAY_HAVE_EXECUTED.test(text)) ? null : 'not told';
      },
    ),
    obligation(
      'runner/broker-not-asked',
      5,
      'Permission is not asked for a tool of a connected service: the server asks its gate itself',
      'no request',
      ({ plane }) => {
        const asked = plane.of('permission').filter(({ body }) => body['tool'] === SERVICE_TOOL);
        return asked.length === 0 ? null : `${asked.length} requests`;
      },
    ),
  ],
};
