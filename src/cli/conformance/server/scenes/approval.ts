import { answered, describe, recorded } from '../evidence.js';
import { call, heartbeat, permission } from '../probes.js';
import type { Scene } from '../scene.js';

const ALLOW = { status: 200, body: { decision: 'allow' } } as const;
const ask = call('a1', 'Bash', { command: 'make release' });
const HANG_UP_MS = 1_500;
/** Decides later than the first connection lasts. */
const THINKING_MS = 8_000;
/** Shorter than a heartbeat that is held up until the decision, and long enough for one on a busy machine. */
const BEAT_MS = 4_000;
/** Of the policy's rule for edits. */
const TTL_MS = 5_000;

export const approval: Scene = {
  name: 'approvals',
  probes: [
    permission('parked', ask, { hang_up_after_ms: HANG_UP_MS }),
    [permission('asked-again', ask), permission('asked-beside', ask), heartbeat('beat-beside', {})],
    permission('after', ask),
    permission('refused', call('a2', 'Bash', { command: 'make deploy' })),
    permission('expires', call('a3', 'Edit', { file_path: 'a', old_string: 'x', new_string: 'y' })),
    permission('expired.again', call('a3', 'Edit', { file_path: 'a', old_string: 'x', new_string: 'y' })),
  ],
  conduct: async (run) => {
    await run.pending('a1');
    await new Promise((resolve) => setTimeout(resolve, THINKING_MS));
    await run.decide('a1', 'approved_once');
    await run.decide('a2', 'denied');
  },
  checks: [
    recorded(
      'approval/parks',
      4,
      'A call that needs a person is held open, not answered',
      'no answer before the client hung up',
      (evidence) => {
        const seen = evidence.find('parked');
        return seen?.failure === 'hung up' ? null : describe(seen);
      },
    ),
    answered(
      'approval/re-attaches',
      4,
      'A client that was cut off asks again under the same id and hears the later decision',
      ['asked-again'],
      ALLOW,
    ),
    answered(
      'approval/many-wait',
      4,
      'Several callers may wait on one call and hear the same',
      ['asked-again', 'asked-beside', 'after'],
      ALLOW,
    ),
    recorded(
      'approval/waits',
      4,
      'The second presentation waits as well',
      `more than ${THINKING_MS - HANG_UP_MS - 1_500} ms`,
      (evidence) => {
        const ms = evidence.find('asked-again')?.ms ?? 0;
        return ms > THINKING_MS - HANG_UP_MS - 1_500 ? null : `${ms} ms`;
      },
    ),
    recorded(
      'approval/heartbeats-pass',
      7,
      'A parked call does not hold up a heartbeat',
      `an answer within ${BEAT_MS} ms`,
      (evidence) => {
        const seen = evidence.find('beat-beside');
        return seen?.status === 200 && seen.ms < BEAT_MS ? null : describe(seen);
      },
    ),
    answered('approval/refused', 4, 'What a person denies is denied', ['refused'], {
      status: 200,
      where: ['a denial', (body) => body['decision'] === 'deny' && body['message'] === 'not approved'],
    }),
    recorded(
      'approval/expires',
      4,
      'An approval that nobody gives in time is a denial, at its time',
      `a denial after ${TTL_MS} ms`,
      (evidence) => {
        const seen = evidence.find('expires');
        const inTime = seen !== undefined && seen.ms > TTL_MS - 1_000 && seen.ms < TTL_MS + 30_000;
        const states = evidence.approvals
          .filter(({ tool_call_id }) => tool_call_id === 'a3')
          .map(({ status }) => status);
        return inTime && JSON.stringify(seen.body).includes('"deny"') && states.join() === 'expired'
          ? null
          : `${describe(seen)} in ${seen?.ms} ms, ${states.join()}`;
      },
    ),
    answered('approval/expired-stays', 4, 'An expired call is not asked about again', ['expired.again'], {
      status: 200,
      where: ['a denial', (body) => body['decision'] === 'deny'],
    }),
    recorded(
      'approval/one-record',
      4,
      'Waiters write nothing: one question, one decision and one verdict a call',
      'one of each',
      (evidence) => {
        const kinds = ['tool.requested', 'approval.requested', 'tool.decision'];
        const counts = kinds.map((kind) => evidence.dataOf(kind, 'a1').length);
        const asked = evidence.approvals.filter(({ tool_call_id }) => tool_call_id === 'a1').length;
        return counts.every((count) => count === 1) && asked === 1
          ? null
          : `${kinds.join(', ')}: ${counts.join(', ')}; ${asked} approvals`;
      },
    ),
  ],
};
