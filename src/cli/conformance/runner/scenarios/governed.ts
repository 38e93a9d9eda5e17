import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '../../../../domain/json.js';
import type { JsonObject, JsonValue } from '../../../../domain/json.js';
import { asText } from '../../../server/event-data.js';
import { asksFor, exits, fileOf, gapsBetween, obligation } from '../record.js';
import type { RunnerRecord } from '../record.js';
import type { Scenario } from '../scenario.js';
import type { ContractCall, Verdict } from '../contract-traffic.js';

const TOKEN = /svc_sess_[0-9a-f]{16}/;
const HELD_SECS = 1.5;
const RUNNER_KINDS = new Set(['agent.message', 'run.error', 'tool.completed']);
const MAX_SUMMARY = 4_000;

/** Reads what a tool process can reach of its parent: its own environment, the descriptors and the parent's environment. */
const SPY =
  '{ env; cat <&3; cat <&4; tr "\\0" "\\n" < /proc/$PPID/environ; tr "\\0" "\\n" < /proc/$PPID/cmdline; } > call-3 2>/dev/null; true';

function commandOf({ input }: ContractCall): number {
  return Number(/call-(\d)/.exec(JSON.stringify(input))?.[1] ?? 0);
}

function rewritten(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.replace('echo as-asked', 'echo as-changed');
  if (Array.isArray(value)) return value.map(rewritten);
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rewritten(member)]))
    : value;
}

function decide(call: ContractCall): Verdict {
  const number = commandOf(call);
  if (number === 1) return 'pending';
  if (number === 2) return { decision: 'deny', message: 'not in this run' };
  if (number === 4) return { decision: 'allow', updated_input: rewritten(call.input) as JsonObject };
  return { decision: 'allow' };
}

export const governed: Scenario = {
  name: 'verdicts',
  commands: ['echo one > call-1', 'echo two > call-2', SPY, 'echo as-asked > call-4'],
  plane: (clock) => ({
    decide,
    renewed: false,
    delayMs: (route) => (route === 'events' ? clock.ms(0.2) : 0),
  }),
  conduct: async ({ plane, workspace, clock, note, until }) => {
    if (!(await until(() => asksFor({ plane }, 1).length > 0))) return;
    await clock.sleep(HELD_SECS);
    note('acted early', existsSync(join(workspace, 'call-1')) ? 1 : 0);
    const [first] = plane.permissions;
    if (first !== undefined) plane.settle(first.toolCallId, { decision: 'allow' });
  },
  limitSecs: 60,
  obligations: [
    obligation(
      'runner/asks-first',
      4,
      'Nothing is done before its permission is given',
      'no trace of the command while its call was held, then the command',
      async (record) => {
        if (asksFor(record, 1).length === 0) return 'permission was never asked for the first command';
        if (record.notes.get('acted early') !== 0) return 'the command was run while its call was held';
        return (await fileOf(record, 'call-1')) === null ? 'the allowed command was not run' : null;
      },
    ),
    obligation(
      'runner/obeys-denial',
      4,
      'A denied call has no effect, and the run goes on',
      'no trace of the command, and the next one asked for',
      async (record) => {
        if ((await fileOf(record, 'call-2')) !== null) return 'the denied command was run';
        if (asksFor(record, 2).length === 0) return 'permission was never asked for the second command';
        return asksFor(record, 3).length === 0 ? 'the run did not go on' : null;
      },
    ),
    obligation(
      'runner/asks-once',
      4,
      'An answered call is not asked again, and each has an id of its own',
      'four requests with four ids',
      ({ plane }) => {
        const ids = plane.of('permission').map(({ body }) => asText(body['tool_call_id']));
        return ids.length === 4 && new Set(ids).size === 4 && !ids.includes('') ? null : ids.join(', ') || 'none';
      },
    ),
    obligation(
      'runner/updated-input',
      4,
      'An allow with updated_input runs that and not what was asked',
      'as-changed',
      async (record) => {
        const text = (await fileOf(record, 'call-4'))?.trim() ?? 'nothing';
        return text === 'as-changed' ? null : text;
      },
    ),
    obligation(
      'runner/tokens-by-route',
      2,
      'Each route is asked with the token of its audience',
      'the token of the route’s audience each time',
      ({ plane }) => {
        const wrong = plane.requests.filter(({ token, audience }) => token !== audience);
        return wrong.length === 0
          ? null
          : wrong.map(({ route, token }) => `${route} with ${token ?? 'no known token'}`).join(', ');
      },
    ),
    obligation(
      'runner/keeps-tokens',
      13,
      'No token stands in an environment, a command line, a descriptor of a tool process, or the workspace',
      'none',
      async (record) => {
        if ((await fileOf(record, 'call-3')) === null) return 'the command that looks for them was not run';
        const texts = await readAll(record);
        return [...texts, record.visible].some((text) => TOKEN.test(text)) ? 'a token was found' : null;
      },
    ),
    obligation(
      'runner/events-in-order',
      6,
      'Events are posted one after the other, each when the one before is answered',
      'no two at once',
      ({ plane }) => {
        const events = plane.of('events');
        if (events.length < 2) return `${events.length} events`;
        return gapsBetween(events).some((gap) => gap < 0) ? 'an event was posted while another was on its way' : null;
      },
    ),
    obligation(
      'runner/event-kinds',
      6,
      'A runner posts the kinds that are its own to post, as agent or harness',
      [...RUNNER_KINDS].join(', '),
      ({ plane }) => {
        const wrong = plane.events.filter(
          ({ type, actor }) => !RUNNER_KINDS.has(type) || !['agent', 'harness'].includes(actor),
        );
        return wrong.length === 0 ? null : wrong.map(({ type, actor }) => `${type} as ${actor}`).join(', ');
      },
    ),
    obligation(
      'runner/one-result',
      8,
      'One result is posted, after everything else, with a summary of at most 4,000 characters',
      'completed, once, last',
      ({ plane }) => {
        const [result, ...more] = plane.of('result');
        if (result === undefined || more.length > 0) return `${plane.of('result').length} results`;
        const { outcome, summary = '' } = result.body;
        if (outcome !== 'completed') return `outcome ${asText(outcome)}`;
        if (typeof summary !== 'string' || summary.length > MAX_SUMMARY) return 'the summary is no text or too long';
        const after = plane.requests.filter(
          ({ route, at }) => ['permission', 'events', 'llm'].includes(route) && at > result.at,
        );
        return after.length === 0 ? null : `${after.map(({ route }) => route).join(', ')} after the result`;
      },
    ),
    obligation(
      'runner/renews',
      9,
      'Tokens are renewed at the start, and never again after renewed: false',
      'one renewal',
      ({ plane }) => {
        const count = plane.of('token/renew').length;
        return count === 1 ? null : `${count} renewals`;
      },
    ),
    exits('runner/exit-done', 'A run that reported completed ends with 0', 0),
  ],
};

async function readAll(record: RunnerRecord): Promise<string[]> {
  const names = await readdir(record.workspace);
  return Promise.all(names.map(async (name) => (await fileOf(record, name)) ?? ''));
}

export const refused: Scenario = {
  name: 'a refused credential',
  commands: ['echo one > call-1', 'echo two > call-2'],
  plane: () => ({
    fault: (route, attempt) => {
      if (route === 'permission' && attempt === 1) return { status: 401, body: { error: 'unauthorized' } };
      return route === 'events' ? { status: 400, body: { error: 'not this one' } } : null;
    },
  }),
  limitSecs: 60,
  obligations: [
    obligation(
      'runner/refusal-is-denial',
      4,
      'A 401 of the gate is a denial: not acted on and not repeated',
      'one request, no trace of the command',
      async (record) => {
        const asked = asksFor(record, 1).length;
        if (asked !== 1) return `${asked} requests`;
        return (await fileOf(record, 'call-1')) === null ? null : 'the command was run';
      },
    ),
    obligation(
      'runner/events-never-hold-up',
      6,
      'An event that is refused is given up at once, and the work goes on',
      'each event once, and a completed result',
      async (record) => {
        const { plane } = record;
        const keys = plane.of('events').map(({ key, body }) => key ?? JSON.stringify(body));
        if (keys.length === 0) return 'no event was posted';
        if (new Set(keys).size !== keys.length) return 'a refused event was repeated';
        if ((await fileOf(record, 'call-2')) === null) return 'the second command was not run';
        return plane.results[0]?.['outcome'] === 'completed' ? null : 'no completed result';
      },
    ),
  ],
};

const fatal = (name: string, route: string): Scenario => ({
  name: `a wrong audience on ${route}`,
  commands: ['echo one > call-1', 'echo two > call-2'],
  plane: () => ({
    decide: () => (route === 'permission' ? { decision: 'allow' } : 'pending'),
    fault: (asked) => (asked === route ? { status: 403, body: { error: 'wrong_audience' } } : null),
  }),
  limitSecs: 40,
  obligations: [
    exits(`${name}-exit`, `wrong_audience on ${route} is fatal: exit code 3`, 3),
    obligation(
      name,
      14,
      `wrong_audience on ${route} ends the run without a result, and without acting`,
      'no result, no trace of a command, at most one last event',
      async (record) => {
        const { plane } = record;
        const refusedAt = plane.of(route)[0]?.endedAt;
        if (refusedAt === undefined || refusedAt === null) return `${route} was never asked`;
        if (plane.of('result').length > 0) return 'a result was posted';
        if ((await fileOf(record, 'call-1')) !== null) return 'a command was run';
        const after = plane.of('events').filter(({ at }) => at > refusedAt + record.clock.slackMs / 3);
        return after.length <= 1 ? null : `${after.length} events afterwards`;
      },
    ),
  ],
});

export const wrongAudience = fatal('runner/wrong-audience', 'permission');
export const wrongAudienceOfHeart = fatal('runner/wrong-audience-heartbeat', 'heartbeat');
