import { describe, expect, it } from '@jest/globals';
import type { Schemas } from '../../client/client.js';
import { renderSimulation } from './simulation-report.js';
import { coloursFor } from '../terminal/style.js';

type Report = Schemas['SimulationView'];

const RUN = '01900000-0000-7000-8000-00000000000a';

function example(summary: string): Report['changes'][number]['examples'][number] {
  const explanation = {
    decided_by: 'deny_regex',
    matcher: 'Bash',
    rule: 3,
    pattern: 'curl',
    subject: null,
    parts: [],
    parts_omitted: 0,
  };
  const verdict = { original_verdict: 'deny' as const, scope_key: null, ttl_secs: null, explanation };
  return {
    session_id: RUN, tool_call_id: 'c1', event_seq: 7, links: { run: `/v1/sessions/${RUN}`, events: null }, agent: 'fixer',
    autonomy: 'supervised', policy_version: 2, requested_at: '2026-11-01T00:00:00.000Z', summary,
    recorded: { answer: 'allow', source: 'human', why: 'a human answered the question' },
    before: { ...verdict, verdict: 'require_approval', reason: 'asks' },
    after: { ...verdict, verdict: 'deny', reason: 'the command matches the deny pattern' },
  }; // prettier-ignore
}

function report(change: Partial<Report> = {}): Report {
  return {
    policy: { id: RUN, name: 'default' },
    draft: { name: 'draft', digest: 'sha256:0', policy_engine: 2 },
    history_days: 30,
    limits: { calls: 10_000, stopped: 'limit', not_examined: 1234 },
    totals: {
      calls: 1500,
      runs: 3,
      unchanged: 1480,
      changed: 15,
      unknown: 5,
      loosened: 0,
      tightened: 15,
      asked_differently: 2,
    },
    unknown: { expired: 4, not_kept: 1, unreadable: 0, policy_unreadable: 0 },
    transitions: [{ from: 'require_approval', to: 'deny', calls: 15 }],
    changes: [
      {
        from: 'require_approval', to: 'deny', direction: 'tightened', tool: 'Bash', shape: 'curl', calls: 15, runs: 1, run_ids: [RUN],
        before: { decided_by: 'no_prefix', matcher: 'Bash', pattern: null },
        after: { decided_by: 'deny_regex', matcher: 'Bash', pattern: '\\bcurl\\b', rule: 3 },
        examples: [example('curl http://x')],
      }, // prettier-ignore
    ],
    changes_left_out: { groups: 2, calls: 3 },
    runs: [],
    runs_left_out: 1,
    recorded: {
      same: 1480,
      different: [
        {
          baseline: 'require_approval',
          answer: 'allow',
          source: 'human',
          calls: 15,
          why: 'a human answered the question',
        },
      ],
    },
    ...change,
  };
}

const plain = coloursFor({ isTTY: false });

describe('the report of a simulation', () => {
  it('says what would change, who decides before and after, and what it does not know', () => {
    expect(renderSimulation(report(), plain).split('\n')).toEqual([
      'default: the draft "draft" against 1,500 recorded calls of 3 runs',
      '1,480 unchanged, 15 changed (0 looser, 15 stricter), 5 unknown',
      '2 unchanged calls would be asked about on other terms',
      '1,234 older calls not examined, beyond --limit',
      '',
      'Stricter',
      '  ask → deny  Bash  curl  15 calls in 1 run',
      '      before  no prefix of `Bash`',
      '      draft   rule 3: deny regex `\\bcurl\\b`',
      '      e.g.    curl http://x',
      `              run ${RUN} #7: the command matches the deny pattern`,
      '              recorded allowed: a human answered the question',
      '',
      'and 2 more groups with 3 calls',
      '1 run affected',
      '',
      'Answered otherwise than the policy alone says',
      '  15 calls: the policy says ask, recorded allowed: a human answered the question',
      '',
      'Unknown',
      '  4 calls older than the 30 days that are kept',
      '  1 call without a kept view',
    ]);
  });

  it('prints text of calls so that it steers no terminal', () => {
    const hostile = report();
    hostile.changes[0]!.examples = [example('ls \u001b[2J\u202e\nrm')];
    hostile.changes[0]!.tool = 'Ba\u0007sh';
    const text = renderSimulation(hostile, plain);
    expect(text).toContain('ls \\e[2J\\u{202e}\\nrm');
    for (const steering of ['\u0007', '\u001b', '\u202e']) expect(text).not.toContain(steering);
  });

  it('says why everything is unknown when no history is kept', () => {
    const text = renderSimulation(
      report({ history_days: 0, changes: [], recorded: { same: 0, different: [] } }),
      plain,
    );
    expect(text).toContain('SERVICE_POLICY_HISTORY_DAYS');
  });
});
