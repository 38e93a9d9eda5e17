import type { JsonObject } from '../../../../domain/json.js';
import { textOf } from '../../../server/event-data.js';
import { answered, recorded } from '../evidence.js';
import type { ServerCheck } from '../evidence.js';
import { call, event, events, heartbeat, idsOf, model, permission, renew, result, toolsCall } from '../probes.js';
import type { Scene } from '../scene.js';

const isError = (body: JsonObject): boolean => typeof body['error'] === 'string' && body['error'] !== '';
const NOT_ACTIVE = 'session is not active';

/** The answers that a run which accepts no more work must get; sent at once, because its time is short. */
const afterwards: JsonObject[] = [
  permission('late.permission', call('late', 'Read', { file_path: 'a' })),
  toolsCall('late.broker', call('late2', 'mcp__nowhere__find')),
  renew('late.renew', {}),
  events('late.event', event('run.error', { message: 'a last word' })),
  model('late.model', {}),
];

function refusals(when: string, title: string): ServerCheck[] {
  return [
    answered(`${when}/permission`, 12, `${title}: a call is denied at 200`, ['late.permission'], {
      status: 200,
      body: { decision: 'deny', message: NOT_ACTIVE },
    }),
    answered(`${when}/broker`, 12, `${title}: a brokered call is 400`, ['late.broker'], {
      status: 400,
      body: { error: NOT_ACTIVE },
    }),
    answered(`${when}/renew`, 12, `${title}: tokens are not renewed`, ['late.renew'], {
      status: 400,
      where: ['an error text', isError],
    }),
    answered(`${when}/llm`, 12, `${title}: no model is asked`, ['late.model'], {
      status: 400,
      where: ['an error text', isError],
    }),
    answered(`${when}/events`, 12, `${title}: a last word is still recorded`, ['late.event'], {
      status: 200,
      where: ['a seq', (body) => Number.isInteger(body['seq'])],
    }),
  ];
}

export const cancelled: Scene = {
  name: 'a cancelled run',
  probes: [
    permission('ready', call('ready', 'Read', { file_path: 'a' })),
    heartbeat('quiesce', {}, { until: { member: 'action', value: 'quiesce', every_ms: 100, within_ms: 60_000 } }),
    [
      ...afterwards,
      heartbeat('quiesce.again', {}),
      result('late.result', { outcome: 'completed', summary: 'too late' }),
    ],
  ],
  conduct: async (run) => {
    await run.asked('ready');
    await run.running();
    await run.cancel();
  },
  checks: [
    answered(
      'quiesce/directive',
      7,
      'Every heartbeat of a run that is being stopped says quiesce',
      ['quiesce', 'quiesce.again'],
      { status: 200, body: { ok: true, action: 'quiesce' } },
    ),
    ...refusals('quiesce', 'Winding down'),
    answered(
      'quiesce/result',
      8,
      'A result that comes after the end was decided is acknowledged and changes nothing',
      ['late.result'],
      { status: 200, body: { ok: true, note: 'finalizing' } },
    ),
    recorded('quiesce/outcome', 12, 'The run ends as it was told to', 'cancelled', ({ session }) =>
      session.status === 'cancelled' ? null : session.status,
    ),
  ],
};

export const reported: Scene = {
  name: 'a reported run',
  probes: [
    result('result.empty', {}),
    result('result.not-json', undefined, { text: '{' }),
    result('result.number', { outcome: 1 }),
    result('result', { outcome: 'budget_exceeded', summary: 'the first report' }, { path: '/internal/result' }),
    [
      result('result.again', { outcome: 'completed', summary: 'the second report' }),
      ...afterwards,
      heartbeat('late.beat', {}),
    ],
  ],
  checks: [
    answered(
      'result/malformed',
      8,
      'A report without an outcome is 400 and decides nothing',
      ['result.empty', 'result.not-json', 'result.number'],
      { status: 400, where: ['an error text', isError] },
    ),
    answered('result/accepted', 8, 'The first report is acknowledged once it is durable', ['result'], {
      status: 200,
      body: { ok: true },
    }),
    answered('result/once', 8, 'A second report is acknowledged and forgotten', ['result.again'], {
      status: 200,
      body: { ok: true, note: 'finalizing' },
    }),
    ...refusals('result', 'After the result'),
    answered('result/no-directive', 7, 'A run that has reported is not told to quiesce', ['late.beat'], {
      status: 200,
      body: { ok: true, action: null },
    }),
    recorded(
      'result/outcome',
      8,
      'An outcome that is not a runner’s to decide is a failure, with the first summary',
      'failed, "the first report"',
      ({ session }) =>
        session.status === 'failed' && session.result_summary === 'the first report'
          ? null
          : `${session.status}, ${JSON.stringify(session.result_summary)}`,
    ),
    recorded('result/recorded-once', 8, 'The result is in the record once', 'one run.result', (evidence) => {
      const count = evidence.dataOf('run.result').length;
      return count === 1 ? null : `${count}`;
    }),
  ],
};

export const overspent: Scene = {
  name: 'a run out of calls',
  budgets: { max_tool_calls: 2 },
  probes: [
    permission('first', call('b1', 'Read', { file_path: 'a' })),
    permission('first.again', call('b1', 'Read', { file_path: 'a' })),
    events('forged', event('tool.requested', { tool_call_id: 'b9', tool: 'Read' })),
    permission('second', call('b2', 'Write', { file_path: 'a', content: 'x' })),
    permission('third', call('b3', 'Read', { file_path: 'a' })),
  ],
  checks: [
    answered(
      'budget/repeats-are-free',
      4,
      'A repeated call and a posted event count for nothing',
      ['first', 'first.again'],
      { status: 200, body: { decision: 'allow' } },
    ),
    answered('budget/denies', 4, 'The call above max_tool_calls is denied and says why', ['third'], {
      status: 200,
      where: [
        'a denial for the budget',
        (body) => body['decision'] === 'deny' && textOf(body, 'message').includes('budget'),
      ],
    }),
    recorded('budget/ends', 12, 'The run ends for its budget', 'budget_exceeded', ({ session }) =>
      session.status === 'budget_exceeded' ? null : session.status,
    ),
  ],
};

const expiredProbes: JsonObject[] = [
  permission('expired.permission', call('x1', 'Read', { file_path: 'a' })),
  toolsCall('expired.broker', call('x2', 'mcp__nowhere__find')),
  events('expired.event', event('run.error', { message: 'x' })),
  heartbeat('expired.beat', {}),
  renew('expired.renew', {}),
  model('expired.model', {}),
  result('expired.result', { outcome: 'completed' }),
];

export const expired: Scene = {
  name: 'expired tokens',
  probes: [
    permission('lived', call('x0', 'Read', { file_path: 'a' })),
    renew('shortest', { ttl_secs: 0 }),
    { wait_ms: 4_000 },
    expiredProbes,
    permission('expired.wrong', {}, { as: 'control' }),
    heartbeat('expired.wrong-too', {}, { as: 'tool' }),
  ],
  checks: [
    answered('renew/shortest', 9, 'No life is shorter than a second', ['shortest'], {
      status: 200,
      body: { renewed: true, ttl_secs: 1 },
    }),
    answered(
      'expiry/refused',
      2,
      'A renewal sets the life of all tokens: expired, none of them opens anything',
      idsOf(expiredProbes),
      { status: 401, body: { error: 'unauthorized' } },
    ),
    answered(
      'expiry/audience-first',
      2,
      'The audience is judged before the life of a token',
      ['expired.wrong', 'expired.wrong-too'],
      { status: 403, body: { error: 'wrong_audience' } },
    ),
    recorded('expiry/run-ends', 12, 'A run whose runner can no longer report ends as failed', 'failed', ({ session }) =>
      session.status === 'failed' ? null : session.status,
    ),
  ],
};
