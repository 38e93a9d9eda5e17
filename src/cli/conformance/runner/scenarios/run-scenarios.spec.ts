import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import type { CheckResult } from '../../check.js';
import { Clock } from '../record.js';
import { runScenarios } from './run-scenarios.js';
import { SCENARIOS } from './index.js';
import { commandStarter } from '../starter.js';

const SECOND_MS = 40;
const EXAMPLE = readFileSync('docs/examples/minimal-runner.mjs', 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'runners-'));
const limit = pLimit(6);

afterAll(() => rmSync(folder, { recursive: true }));

/** The example with a text in it replaced, and with short seconds. */
function runnerWith(name: string, changes: readonly (readonly [string, string])[]): string {
  const text = [['const SECOND = 1000;', `const SECOND = ${SECOND_MS};`] as const, ...changes].reduce(
    (source, [from, to]) => {
      if (!source.includes(from)) throw new Error(`the example does not hold ${from}`);
      return source.replace(from, () => to);
    },
    EXAMPLE,
  );
  const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.mjs`);
  writeFileSync(file, text);
  return file;
}

function judge(file: string, only: readonly string[]): Promise<CheckResult[]> {
  return runScenarios({
    starter: commandStarter([process.execPath, file], '/', 'ignore'),
    ...{ agent: 'script', harness: 'replay', model: 'none', tcp: false, only, atOnce: 6 },
    clock: new Clock(SECOND_MS),
    notice: () => undefined,
  });
}

/** Runners that break one obligation, each by one change of the example, with the obligation that must be found broken. */
const BROKEN: readonly (readonly [what: string, obligation: string, from: string, to: string])[] = [
  [
    'runs a denied command',
    'runner/obeys-denial',
    "if (verdict.decision !== 'allow') {",
    'if (verdict.decision === null) {',
  ],
  [
    'acts before it asks',
    'runner/asks-first',
    'const verdict = await ask(call);',
    'await run(input); const verdict = await ask(call);',
  ],
  [
    'asks twice',
    'runner/asks-once',
    'const verdict = await ask(call);',
    'await ask(call); const verdict = await ask(call);',
  ],
  [
    'runs what it asked for instead of what was allowed',
    'runner/updated-input',
    'verdict.updated_input ?? input',
    'input',
  ],
  [
    'asks with the control token',
    'runner/tokens-by-route',
    '`${session}/permission`, tokens.tool',
    '`${session}/permission`, tokens.control',
  ],
  ['gives tools its token', 'runner/keeps-tokens', "LANG: 'C.UTF-8' };", "LANG: 'C.UTF-8', TOKEN: tokens.tool };"],
  [
    'tells several things at once',
    'runner/events-in-order',
    "await tell('tool.completed'",
    "void tell('agent.message', { role: 'system', text: 'and' }); await tell('tool.completed'",
  ],
  ['writes the gate’s own lines', 'runner/event-kinds', "await tell('tool.completed'", "await tell('tool.requested'"],
  [
    'reports twice',
    'runner/one-result',
    'process.exit(answer?.status === 200',
    'await postWithRetries(0, `${session}/result`, { outcome, summary }); process.exit(answer?.status === 200',
  ],
  [
    'goes on renewing',
    'runner/renews',
    'answer.body.renewed === false)) return;',
    'answer.body.renewed === false)) await renew();',
  ],
  [
    'asks again after a 401',
    'runner/refusal-is-denial',
    'if (answer?.status === 401 || answer?.status === 403)',
    'if (answer?.status === 403)',
  ],
  [
    'stops work for a lost event',
    'runner/events-never-hold-up',
    "{ 'idempotency-key': randomUUID() });",
    "{ 'idempotency-key': randomUUID() }).then((answer) => { if (answer.status !== 200) throw new Error('lost'); });",
  ],
  [
    'goes on after wrong_audience',
    'runner/wrong-audience-exit',
    "if ([401, 403].includes(response.statusCode) && text.includes('wrong_audience')) stop(EXIT.wrongAudience);",
    '',
  ],
  [
    'takes wrong_audience for a denial',
    'runner/wrong-audience',
    "text.includes('wrong_audience')) stop(EXIT.wrongAudience);",
    "text.includes('wrong_audience')) {}",
  ],
  [
    'gives up asking',
    'runner/permission-retries',
    'if (answer?.status === 401',
    'if (answer === null || answer.status >= 500 || answer.status === 401',
  ],
  [
    'asks again under another id',
    'runner/permission-retries',
    'if (answer?.status === 200 && answer.body.decision) return',
    "call.tool_call_id += 'x'; if (answer?.status === 200 && answer.body.decision) return",
  ],
  ['hammers the gate', 'runner/permission-waits', 'Math.min(2 * attempt, 10) * SECOND', '1'],
  [
    'tells an event again under another key',
    'runner/event-retries',
    'body, 30 * SECOND, headers)',
    "body, 30 * SECOND, headers && { 'idempotency-key': randomUUID() })",
  ],
  ['never tells an event again', 'runner/event-retries', 'await postWithRetries(3,', 'await postWithRetries(0,'],
  ['reports once and is gone', 'runner/result-retries', 'await postWithRetries(5,', 'await postWithRetries(0,'],
  ['reports for ever', 'runner/result-gives-up', 'await postWithRetries(5,', 'await postWithRetries(50,'],
  [
    'calls an unreported run done',
    'runner/exit-unreported',
    "answer?.status === 200 && outcome === 'completed'",
    "outcome === 'completed'",
  ],
  [
    'stops beating after a lost beat',
    'runner/outlives-lost-beats',
    'if (answer?.body.action',
    'if (answer === null) return; if (answer?.body.action',
  ],
  [
    'does not beat while it waits',
    'runner/beats-through',
    'const verdict = await ask(call);',
    'waiting = true; const verdict = await ask(call); waiting = false;',
  ],
  ['beats like mad', 'runner/beats-calmly', 'await sleep(10 * SECOND);', 'await sleep(SECOND);'],
  ['times a person out', 'runner/waits-for-people', 'tokens.tool, call, 720 * SECOND', 'tokens.tool, call, 5 * SECOND'],
  [
    'takes a cut connection for a denial',
    'runner/re-asks',
    'if (answer?.status === 401',
    'if (answer === null || answer.status === 401',
  ],
  ['works on when told to quiesce', 'runner/quiesce', 'if (answer?.body.action', 'if (answer?.body.never'],
  [
    'reports when told to quiesce',
    'runner/quiesce',
    "=== 'quiesce') stop(EXIT.done);",
    "=== 'quiesce') await report('failed', 'stopped');",
  ],
  [
    'fails when told to quiesce at once',
    'runner/quiesce-at-once-exit',
    "=== 'quiesce') stop(EXIT.done);",
    "=== 'quiesce') stop(EXIT.failed);",
  ],
  [
    'calls a failed run done',
    'runner/exit-failed',
    "answer?.status === 200 && outcome === 'completed' ?",
    'answer?.status === 200 ?',
  ],
  [
    'reports a failure as completed',
    'runner/reports-failure',
    "await report('failed', String",
    "await report('completed', String",
  ],
  [
    'goes on without its hand-off',
    'runner/hand-off-exit',
    'process.exit(EXIT.handOffFailed);',
    'return { variables: {}, tokens: {} };',
  ],
  [
    'guesses a missing variable',
    'runner/variable-exit',
    "for (const name of ['SERVICE_CONTROL_URL', ",
    "variables.SERVICE_CONTROL_URL ??= 'http://plane'; for (const name of [",
  ],
  ['hammers the renewal', 'runner/renewal-patience', '(answer === null ? 2 : 45) * 60 * SECOND', 'SECOND'],
  [
    'fails when told to quiesce',
    'runner/quiesce-exit',
    "=== 'quiesce') stop(EXIT.done);",
    "=== 'quiesce') stop(EXIT.failed);",
  ],
  [
    'works on when told to quiesce at once',
    'runner/quiesce-at-once',
    'if (answer?.body.action',
    'if (answer?.body.never',
  ],
  ['calls a completed run failed', 'runner/exit-done', '? EXIT.done : EXIT.failed', '? EXIT.failed : EXIT.failed'],
  [
    'goes on after wrong_audience of a heartbeat',
    'runner/wrong-audience-heartbeat-exit',
    'stop(EXIT.wrongAudience);',
    ';',
  ],
  [
    'reports after wrong_audience of a heartbeat',
    'runner/wrong-audience-heartbeat',
    'stop(EXIT.wrongAudience);',
    "void report('failed', 'wrong audience');",
  ],
  [
    'names a call by its content',
    'runner/broker-ids',
    'tool_call_id: `bkr_${randomUUID()}`, tool, input };',
    'tool_call_id: `bkr_${JSON.stringify(input)}`, tool, input };',
  ],
  [
    'presents a call again under another id',
    'runner/broker-retries',
    'for (const wait of [0.5, 1.5, null]) {',
    "for (const wait of [0.5, 1.5, null]) { call.tool_call_id += 'x';",
  ],
  ['repeats a refused call', 'runner/broker-refusals', 'answer?.status < 500 &&', 'answer?.status < 400 &&'],
  ['calls a service for ever', 'runner/broker-gives-up', 'of [0.5, 1.5, null]', 'of [0.5, 1.5, 1, 1, null]'],
  [
    'keeps quiet about a lost call',
    'runner/broker-unanswered',
    'no answer arrived; the call may have executed and was not repeated',
    'failed',
  ],
  [
    'asks the gate for a service',
    'runner/broker-not-asked',
    'const { ok, message, error } = await callService(tool, input);',
    'await ask({ tool_call_id: randomUUID(), tool, input }); const { ok, message, error } = await callService(tool, input);',
  ],
  ['repairs its hand-off', 'runner/hand-off', "readFileSync(3, 'utf8')", `readFileSync(3, 'utf8') + '"}}'`],
];

/** What the changed lines need beside themselves. */
const BESIDE: Record<string, readonly [string, string]> = {
  'does not beat while it waits': [
    'const answer = await postWithRetries(1, `${session}/heartbeat`, {});',
    'while (globalThis.waiting) await sleep(5); const answer = await postWithRetries(1, `${session}/heartbeat`, {});',
  ],
};

describe('the fixture for runners', () => {
  it('CP-288 finds that the example of the reference keeps every obligation', async () => {
    const results = await judge(runnerWith('example', []), []);
    expect(results.filter(({ result }) => result === 'fail')).toEqual([]);
    expect(results.filter(({ result }) => result === 'skip').map(({ id }) => id)).toEqual(['runner/model-retries']);
    expect(results).toHaveLength(SCENARIOS.flatMap(({ obligations }) => obligations).length);
  }, 120_000);

  it('catches each of the runners that break one', async () => {
    const caught = await Promise.all(
      BROKEN.map(([what, obligation, from, to]) =>
        limit(async () => {
          const beside = BESIDE[what];
          const file = runnerWith(what, [
            [from, beside === undefined ? to : to.replaceAll('waiting', 'globalThis.waiting')],
            ...(beside === undefined ? [] : [beside]),
          ]);
          const found = await judge(file, [obligation]);
          return { what, obligation, found: found.find(({ id }) => id === obligation)?.result };
        }),
      ),
    );
    expect(caught.filter(({ found }) => found !== 'fail')).toEqual([]);
  }, 240_000);

  it('has a broken runner for every obligation of a scripted agent', () => {
    const broken = new Set(BROKEN.map(([, obligation]) => obligation));
    const scripted = SCENARIOS.filter(({ modelFirst }) => modelFirst === undefined);
    const ids = scripted.flatMap(({ obligations }) => obligations.map(({ id }) => id));
    expect(ids.filter((id) => !broken.has(id))).toEqual([]);
  });
});
