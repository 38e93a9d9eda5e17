import { asText } from '../../../server/event-data.js';
import { exits, fileOf, obligation } from '../record.js';
import type { Scenario } from '../scenario.js';

/** Well within the thirty seconds after which supervision kills. */
const QUIESCE_SECS = 20;

const quiesce = (name: string, words: string, from: number): Scenario => ({
  name: words,
  commands: ['sleep 60; echo one > call-1', 'echo two > call-2'],
  plane: () => ({ heartbeatAction: (beat) => (beat >= from ? 'quiesce' : null) }),
  limitSecs: 60,
  obligations: [
    exits(`${name}-exit`, `${words}: the run ends with 0`, 0),
    obligation(
      name,
      7,
      `${words}: what runs is stopped, and neither a result nor another call follows`,
      'the end within twenty seconds, no result, no call',
      async (record) => {
        const { plane, clock, endedAt } = record;
        const told = plane.of('heartbeat')[from - 1]?.endedAt;
        if (told === undefined || told === null) return `heartbeat ${from} was never posted`;
        if (plane.of('result').length > 0) return 'a result was posted';
        if (plane.of('permission').some(({ at }) => at > told + clock.slackMs))
          return 'a call was asked for afterwards';
        if ((await fileOf(record, 'call-1')) !== null) return 'the command was not stopped';
        const took = endedAt - told;
        return took < clock.ms(QUIESCE_SECS) + clock.slackMs ? null : `it took ${Math.round(took)} ms`;
      },
    ),
  ],
});

export const quiesced = quiesce('runner/quiesce', 'Told to quiesce at the second heartbeat', 2);
export const quiescedAtOnce = quiesce('runner/quiesce-at-once', 'Told to quiesce at the first heartbeat', 1);

export const brokenHandOff: Scenario = {
  name: 'a broken hand-off',
  commands: ['echo one > call-1'],
  plane: () => ({}),
  document: (text) => text.slice(0, -20),
  limitSecs: 20,
  obligations: [
    exits('runner/hand-off-exit', 'A hand-off that cannot be read ends with 4', 4),
    obligation(
      'runner/hand-off',
      13,
      'Without its hand-off a runner asks nothing and does nothing',
      'no request',
      ({ plane }) => (plane.requests.length === 0 ? null : `${plane.requests.length} requests`),
    ),
  ],
};

export const missingVariable: Scenario = {
  name: 'a missing variable',
  commands: ['echo one > call-1'],
  plane: () => ({}),
  document: (text) => text.replace('"SERVICE_CONTROL_URL"', '"SERVICE_CONTROL_URL_OF_ANOTHER"'),
  limitSecs: 20,
  obligations: [exits('runner/variable-exit', 'A missing required variable ends with 2', 2)],
};

export const failing: Scenario = {
  name: 'an agent that cannot go on',
  commands: [],
  failing: true,
  plane: () => ({}),
  limitSecs: 60,
  obligations: [
    obligation(
      'runner/reports-failure',
      8,
      'What ends an agent before its work is done is reported as failed',
      'one result, failed, with a reason',
      ({ plane }) => {
        const [result, ...more] = plane.results;
        if (result === undefined || more.length > 0) return `${plane.results.length} results`;
        return result['outcome'] === 'failed' && asText(result['summary']) !== '' ? null : JSON.stringify(result);
      },
    ),
    exits('runner/exit-failed', 'A run that reported failed ends with 1', 1),
  ],
};

export const busyModel: Scenario = {
  name: 'a busy model',
  commands: ['echo one > call-1'],
  plane: () => ({}),
  modelFirst: [
    { kind: 'error', status: 429, headers: { 'retry-after': '1' } },
    { kind: 'error', status: 529, headers: { 'retry-after': '1' } },
  ],
  limitSecs: 60,
  obligations: [
    obligation(
      'runner/model-retries',
      11,
      'A model that is busy is asked again',
      'a completed result after two refusals',
      ({ plane }) => {
        const asked = plane.of('llm').length;
        return asked >= 3 && plane.results[0]?.['outcome'] === 'completed'
          ? null
          : `${asked} requests, ${JSON.stringify(plane.results)}`;
      },
    ),
  ],
};
