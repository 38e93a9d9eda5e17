import { isDeepStrictEqual } from 'node:util';
import { asksFor, exits, fileOf, obligation, wrongWaits } from '../record.js';
import type { RunnerRecord } from '../record.js';
import type { Scenario } from '../scenario.js';
import type { Fault, ContractRequest } from '../contract-traffic.js';

const PERMISSION_CAP_SECS = 10;
const OTHER_CAP_SECS = 8;
const RESULT_ATTEMPTS = 6;
/** Long enough for two heartbeats, whenever they fall. */
const PARKED_SECS = 32;
const CUT_AFTER_SECS = 12;

const same = (requests: readonly ContractRequest[]): boolean =>
  requests.every(({ body, key }) => isDeepStrictEqual(body, requests[0]?.body) && key === requests[0]?.key);

function faults(route: string, attempt: number): Fault {
  const unavailable: Fault = { status: 503, body: { error: 'away' } };
  switch (route) {
    case 'permission':
      if (attempt === 1) return { status: 500, body: { error: 'internal error' } };
      if (attempt === 2) return 'cut';
      return attempt === 3 ? { status: 429, body: { error: 'later' }, headers: { 'retry-after': '1' } } : null;
    case 'events':
      return attempt === 1 ? unavailable : null;
    case 'token/renew':
      return unavailable;
    case 'heartbeat':
    case 'result':
      return attempt <= 2 ? unavailable : null;
    default:
      return null;
  }
}

export const faulty: Scenario = {
  name: 'a plane that fails',
  commands: ['echo one > call-1'],
  plane: () => ({ fault: faults }),
  limitSecs: 90,
  obligations: [
    obligation(
      'runner/permission-retries',
      14,
      'A call is asked again, under the same id and with the same content, until there is a verdict',
      'four equal requests, then the command',
      async (record) => {
        const asked = record.plane.of('permission');
        if (asked.length !== 4) return `${asked.length} requests`;
        if (!same(asked)) return 'the requests differ';
        return (await fileOf(record, 'call-1')) === null ? 'the allowed command was not run' : null;
      },
    ),
    obligation(
      'runner/permission-waits',
      14,
      'Between them it waits two seconds times the number of attempts, ten at most',
      'waits of about 2, 4 and 6 seconds',
      ({ plane, clock }) => wrongWaits(plane.of('permission'), PERMISSION_CAP_SECS, clock),
    ),
    obligation(
      'runner/event-retries',
      14,
      'An event is posted again when the plane fails: the same one, under the same key',
      'two equal requests',
      ({ plane, clock }) => {
        const [first, second] = plane.of('events');
        if (first === undefined || second === undefined) return 'the event was not posted again';
        return same([first, second]) ? wrongWaits([first, second], OTHER_CAP_SECS, clock) : 'the requests differ';
      },
    ),
    obligation(
      'runner/result-retries',
      14,
      'A result is posted again until it is acknowledged',
      'three equal requests, two and four seconds apart',
      ({ plane, clock }) => {
        const posted = plane.of('result');
        if (posted.length !== 3) return `${posted.length} requests`;
        return same(posted) ? wrongWaits(posted, OTHER_CAP_SECS, clock) : 'the requests differ';
      },
    ),
    obligation(
      'runner/outlives-lost-beats',
      7,
      'A lost heartbeat does not end the run or the beating',
      'an answered heartbeat after the lost ones',
      ({ plane }) => {
        const answered = plane
          .of('heartbeat')
          .slice(2)
          .some(({ status }) => status === 200);
        return answered ? null : 'no heartbeat followed';
      },
    ),
    obligation(
      'runner/renewal-patience',
      9,
      'A renewal that fails is repeated once, and then left for two minutes',
      'two renewals at most',
      ({ plane }) => {
        const count = plane.of('token/renew').length;
        return count >= 1 && count <= 2 ? null : `${count} renewals`;
      },
    ),
  ],
};

function parkedBeats({ plane, notes }: RunnerRecord): number {
  const [from, to] = [notes.get('asked') ?? 0, notes.get('settled') ?? 0];
  return plane.of('heartbeat').filter(({ at, status }) => at > from && at < to && status === 200).length;
}

export const parked: Scenario = {
  name: 'an approval that takes its time',
  commands: ['echo one > call-1'],
  plane: () => ({ decide: () => 'pending' }),
  conduct: async ({ plane, clock, note, until }) => {
    if (!(await until(() => plane.permissions.length > 0))) return;
    note('asked', performance.now());
    await clock.sleep(CUT_AFTER_SECS);
    note('before the cut', plane.of('permission').length);
    plane.dropConnections();
    note('cut', performance.now());
    await Promise.race([clock.sleep(PARKED_SECS - CUT_AFTER_SECS), until(() => false)]);
    note('settled', performance.now());
    for (const { toolCallId } of plane.permissions) plane.settle(toolCallId, { decision: 'allow' });
  },
  limitSecs: 90,
  obligations: [
    obligation(
      'runner/waits-for-people',
      4,
      'A held call is waited for, not timed out and not acted on',
      'one request until the connection was cut, the command after the decision',
      async (record) => {
        if (record.notes.get('before the cut') !== 1)
          return `${record.notes.get('before the cut') ?? 0} requests before the cut`;
        const early = record.plane.results.length > 0 && record.notes.get('settled') === undefined;
        return early || (await fileOf(record, 'call-1')) === null ? 'the allowed command was not run' : null;
      },
    ),
    obligation(
      'runner/re-asks',
      4,
      'A call whose connection broke is asked again under the same id',
      'a second, equal request within ten seconds',
      (record) => {
        const asked = asksFor(record, 1);
        if (asked.length !== 2) return `${asked.length} requests`;
        if (!same(asked)) return 'the requests differ';
        const waited = (asked[1]?.at ?? 0) - (record.notes.get('cut') ?? 0);
        return waited < record.clock.ms(PERMISSION_CAP_SECS) + record.clock.slackMs
          ? null
          : `${Math.round(waited)} ms later`;
      },
    ),
    obligation(
      'runner/beats-through',
      7,
      'It beats every ten seconds, also while a call is held',
      'two heartbeats or more in 32 seconds of waiting',
      (record) => {
        const count = parkedBeats(record);
        return count >= 2 ? null : `${count} heartbeats`;
      },
    ),
    obligation(
      'runner/beats-calmly',
      7,
      'It beats no faster than that',
      'at most one in five seconds of waiting',
      (record) => {
        const [from = 0, to = 0] = [record.notes.get('asked'), record.notes.get('settled')];
        const count = parkedBeats(record);
        return count <= Math.ceil((to - from) / record.clock.ms(5)) + 1 ? null : `${count} heartbeats`;
      },
    ),
  ],
};

export const unreported: Scenario = {
  name: 'a result that nobody takes',
  commands: ['echo one > call-1'],
  plane: () => ({ fault: (route) => (route === 'result' ? { status: 503, body: { error: 'away' } } : null) }),
  limitSecs: 90,
  obligations: [
    obligation(
      'runner/result-gives-up',
      14,
      'A result is tried six times, then given up',
      'six equal requests, eight seconds apart at most',
      ({ plane, clock }) => {
        const posted = plane.of('result');
        if (posted.length !== RESULT_ATTEMPTS) return `${posted.length} requests`;
        return same(posted) ? wrongWaits(posted, OTHER_CAP_SECS, clock) : 'the requests differ';
      },
    ),
    exits('runner/exit-unreported', 'A run that could not report its result ends with 1', 1),
  ],
};
