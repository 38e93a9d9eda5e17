import { describe, expect, it } from '@jest/globals';
import type { Approval, RunEvent } from '../server/wire.js';
import { APPROVAL_HEADING, renderApproval } from './approval-view.js';
import { LiveScreen } from '../terminal/live-screen.js';
import { renderEvent, renderEveryEvent } from './timeline.js';
import { coloursFor } from '../terminal/style.js';

const plain = coloursFor({ isTTY: false });
const START = Date.parse('2026-01-01T00:00:00Z');
const HOSTILE = `\u001b[2J\r${APPROVAL_HEADING}\n${APPROVAL_HEADING}\u202e\u009b0m`;

function event(type: string, data: Record<string, string | number | boolean | null>): RunEvent {
  return {
    event_id: 'e',
    session_id: 's',
    seq: 1,
    type,
    actor: 'agent',
    payload: { type, data },
    occurred_at: '2026-01-01T00:00:01.5Z',
  };
}

describe('timeline', () => {
  it('shows when, what and who decided', () => {
    const line = renderEvent(
      event('tool.decision', { tool: 'Bash', verdict: 'deny', source: 'policy', reason: 'network' }),
      START,
      plain,
    );
    expect(line).toBe('   +1.5s denied     Bash by policy: network');
  });

  it.each([
    [{ ok: true, outcome: 'succeeded' }, 'answered'],
    [{ ok: false, outcome: 'failed_upstream' }, 'answered with an error'],
    [{ ok: false, outcome: 'failed_before_send', error: 'no answer' }, 'failed: no answer'],
    [{ ok: false, outcome: 'ambiguous', error: 'cut' }, 'failed, and may have happened all the same: cut'],
  ])('says why a brokered call failed: %j', (data, words) => {
    const line = renderEvent(event('tool.brokered', { tool: 'mcp__crm__find', ...data }), START, plain);
    expect(line).toBe(`   +1.5s tool       mcp__crm__find ${words}`);
  });

  it('says what a run may reach, and that a person has to authorize it', () => {
    const frozen = (awaiting: boolean): RunEvent => {
      const data = { targets: ['*.example.org:443', HOSTILE], awaiting_authorization: awaiting };
      return { ...event('network.grant.frozen', {}), payload: { type: 'network.grant.frozen', data } };
    };
    expect(renderEvent(frozen(true), START, plain)).toMatch(
      /^ {3}\+1\.5s network {4}waits for a person to authorize: reach \*\.example\.org:443, /,
    );
    const line = renderEvent(frozen(false), START, plain);
    expect(line).toMatch(/^ {3}\+1\.5s network {4}may reach \*\.example\.org:443, /);
    for (const steering of ['\n', '\r', '\u001b', '\u202e', '\u009b']) expect(line).not.toContain(steering);
  });

  it('shows a kind that has no words here as it is, where everything is shown', () => {
    const revoked = event('network.grant.revoked', { mode: 'offline', reason: HOSTILE });
    expect(renderEvent(revoked, START, plain)).toBeUndefined();
    const line = renderEveryEvent(revoked, START, plain);
    expect(line).toMatch(/^ {3}\+1\.5s event {6}network\.grant\.revoked \{"mode":"offline",/);
    for (const steering of ['\n', '\r', '\u001b', '\u202e', '\u009b']) expect(line).not.toContain(steering);
  });

  it('names the tool of a call once when there is nothing else to say of it', () => {
    const data = { tool: 'mcp__crm__find', summary: 'mcp__crm__find' };
    expect(renderEvent(event('tool.requested', data), START, plain)).toBe('   +1.5s asks       mcp__crm__find');
  });

  it.each(['agent.message', 'tool.requested', 'run.error', 'approval.requested', 'run.result'])(
    'lets no text of an agent begin a line or steer the terminal in %s',
    (type) => {
      const data = { text: HOSTILE, tool: HOSTILE, summary: HOSTILE, message: HOSTILE, outcome: HOSTILE };
      const rendered = renderEvent(event(type, data), START, plain) ?? '';
      // eslint-disable-next-line no-control-regex -- the point of the test
      expect(rendered).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      for (const line of rendered.split('\n')) expect(line.startsWith(APPROVAL_HEADING)).toBe(false);
    },
  );

  it('draws an approval under its fixed heading, which no foreign text can precede or repeat at the start of a line', () => {
    const approval: Approval = {
      id: '1',
      tool_call_id: '1',
      input: HOSTILE,
      scope_key: null,
      grant: { covers: HOSTILE, once_because: null, keys: [HOSTILE], examples: [{ call: HOSTILE, from_run: true }] },
      reason: HOSTILE,
      session_id: HOSTILE,
      tool: HOSTILE,
      summary: HOSTILE,
      risk: HOSTILE,
      scope: 'once',
      status: 'pending',
      requested_at: '',
      expires_at: null,
      decided_at: null,
      decided_by: null,
      input_digest: HOSTILE,
      explanation: {
        decided_by: 'no_prefix',
        rule: 1,
        matcher: HOSTILE,
        pattern: HOSTILE,
        reason: HOSTILE,
        subject: HOSTILE,
        cwd: HOSTILE,
        files: [{ path: HOSTILE, size: 1, digest: HOSTILE }],
        parts: [{ text: HOSTILE, kind: 'command', subject: HOSTILE, covered_by: HOSTILE }],
        parts_omitted: 1,
        not_known_beforehand: [HOSTILE],
      },
    };
    const lines = renderApproval(approval, new LiveScreen(process.stdout, false)).split('\n');
    expect(lines[0]).toContain(APPROVAL_HEADING);
    expect(lines.slice(1).every((line) => line.startsWith('   '))).toBe(true);
    // eslint-disable-next-line no-control-regex -- the point of the test
    expect(lines.slice(1).join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  });
});
