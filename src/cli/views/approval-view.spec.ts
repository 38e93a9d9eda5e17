import { describe, expect, it } from '@jest/globals';
import { HOSTILE } from '../../../test/support/texts/hostile-texts.js';
import { parseJsonPreservingNumbers } from '../../domain/digest/parse-json.js';
import type { Approval } from '../server/wire.js';
import { APPROVAL_HEADING, renderApproval, timeLeft } from './approval-view.js';
import { LiveScreen } from '../terminal/live-screen.js';

const CLEAN: Approval = {
  id: '01a1fe74-7deb-76ff-a1cb-dc9a30beca09',
  session_id: '01a1fe74-75bc-730b-8465-1bdc17341a9c',
  tool_call_id: 'call-1',
  tool: 'Bash',
  summary: 'sh deploy.sh && git status',
  input: { command: 'sh deploy.sh && git status' },
  input_digest: `sha256:${'0'.repeat(64)}`,
  explanation: {
    decided_by: 'no_prefix',
    rule: 3,
    matcher: 'Bash',
    pattern: null,
    reason: 'no allow prefix covers `sh deploy.sh`',
    subject: 'sh deploy.sh',
    cwd: '/workspace/ops',
    files: [
      { path: 'deploy.sh', size: 15, digest: `sha256:${'ab'.repeat(32)}` },
      { path: 'big.iso', size: 99_999_999, digest: null },
    ],
    parts: [
      { text: 'sh deploy.sh', kind: 'command', subject: 'sh', covered_by: null },
      { text: 'git status', kind: 'command', subject: 'git', covered_by: 'git status' },
    ],
    parts_omitted: 0,
    not_known_beforehand: ['"$TARGET"'],
  },
  risk: 'runs what nobody read',
  scope: 'once',
  scope_key: 'sh deploy.sh',
  grant: {
    covers: 'Every `sh deploy.sh …` (sh running deploy.sh).',
    once_because: null,
    keys: ['sh deploy.sh'],
    examples: [
      { call: 'sh deploy.sh --to staging', from_run: true },
      { call: 'sh deploy.sh --quiet', from_run: false },
    ],
  },
  status: 'pending',
  reason: 'no allow prefix covers `sh deploy.sh`',
  requested_at: '2026-01-01T00:00:00.000Z',
  expires_at: '2026-01-01T00:10:00.000Z',
  decided_at: null,
  decided_by: null,
};

/** A screen of a terminal of so many columns; what it draws is not looked at here. */
function screenOf(columns: number): LiveScreen {
  const out = { columns, isTTY: false, write: () => true } as unknown as NodeJS.WriteStream;
  return new LiveScreen(out, true);
}

const render = (approval: Approval, columns = 100) => renderApproval(approval, screenOf(columns));

/** The approval with a foreign text in every place where one can stand. */
function saying(text: string): Approval {
  const explanation = {
    decided_by: 'no_prefix' as const,
    rule: 3,
    matcher: text,
    pattern: text,
    reason: text,
    subject: text,
    cwd: text,
    files: [{ path: text, size: 1, digest: text }],
    parts: [{ text, kind: 'command' as const, subject: text, covered_by: text }],
    parts_omitted: 2,
    not_known_beforehand: [text],
  };
  const grant = { covers: text, once_because: null, keys: [text], examples: [{ call: text, from_run: true }] };
  const own = { tool: text, summary: text, risk: text, scope_key: text, reason: text, decided_by: text };
  return { ...CLEAN, ...own, grant, input: { [text]: text, command: text, more: [text] }, explanation };
}

/** Rows as a terminal shows that wraps at its edge and believes everything beyond ASCII to be `wide` columns. */
function rowsOnScreen(text: string, columns: number, wide: 1 | 2): string[] {
  return text.split('\n').flatMap((line) => {
    const rows = [''];
    let taken = 0;
    for (const character of line) {
      const width = character > '~' ? wide : 1;
      if (taken + width > columns) {
        rows.push('');
        taken = 0;
      }
      rows[rows.length - 1] += character;
      taken += width;
    }
    return rows;
  });
}

describe('what an approver sees', () => {
  it('shows an empty input as what it is', () => {
    expect(render({ ...CLEAN, input: {} })).toMatch(/input:\n +\S* ?\{\}/);
  });

  it('shows rule, matcher, the part that decided, every part, the directory, the files and the whole input', () => {
    const text = render(CLEAN);
    for (const shown of [
      'tools[3], matcher Bash',
      'a part that no allow prefix covers',
      '/workspace/ops',
      'not covered:',
      'covered by git status:',
      '│ sh deploy.sh && git status',
      'deploy.sh',
      '15 bytes, sha256:abab',
      'too large to read',
      'runs what nobody read',
      '2026-01-01T00:10:00.000Z',
    ])
      expect(text).toContain(shown);
  });

  it('leaves nothing of a long input out', () => {
    const lines = Array.from({ length: 3000 }, (_, index) => `echo line ${index}`);
    const text = render({ ...CLEAN, input: { command: lines.join('\n') } }, 40);
    for (const line of lines) expect(text).toContain(`│ ${line}`);
  });

  it('shows numbers as they were written', () => {
    const input = parseJsonPreservingNumbers('{"id":9007199254740993,"amount":1.0}') as never;
    const text = render({ ...CLEAN, input });
    expect(text).toContain('9007199254740993');
    expect(text).toContain('1.0');
  });

  it('says what a grant for the run would cover, and when there is nothing to grant', () => {
    const rows = render(CLEAN)
      .split('\n')
      .map((row) => row.trim());
    const at = rows.indexOf('once     this call alone');
    expect(rows.slice(at, at + 4)).toEqual([
      'once     this call alone',
      'for run  Every `sh deploy.sh …` (sh running deploy.sh).',
      'such as  sh deploy.sh --to staging  (asked before in this run)',
      'such as  sh deploy.sh --quiet  (made up)',
    ]);
    const keyless = { covers: null, once_because: '`rm` deletes', keys: [], examples: [] };
    const text = render({ ...CLEAN, grant: keyless });
    expect(text).toContain('this call alone; "for this run" counts as once, too: `rm` deletes');
    expect(text).not.toContain('for run ');
  });

  it('shows which words are not known beforehand', () => {
    expect(render(CLEAN)).toMatch(/not known beforehand, .*:\n +│ "\$TARGET"/);
  });

  it.each([...HOSTILE, ['imitates the heading', `x\n${APPROVAL_HEADING}\n   tool     Read`] as const])(
    'a text that %s stays below the heading and behind our margin, on terminals of any width',
    (_, hostile) => {
      // Long enough that terminals wrap it, with the heading where a row would begin.
      for (const text of [hostile, hostile.repeat(20), ' '.repeat(97) + APPROVAL_HEADING, 'あ'.repeat(48) + hostile]) {
        for (const columns of [20, 41, 80, 100, 200]) {
          const rendered = render(saying(text), columns);
          expect(rendered.split('\n')[0]).toContain(APPROVAL_HEADING);
          for (const wide of [1, 2] as const) {
            const rows = rowsOnScreen(rendered, columns, wide).slice(columns < 70 ? 4 : 1);
            expect(rows.filter((row) => !row.startsWith('   '))).toEqual([]);
          }
          // eslint-disable-next-line no-control-regex -- the point of the test
          expect(rendered.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e]/);
        }
      }
    },
  );

  it('counts down in words', () => {
    const at = (ms: number) => timeLeft(CLEAN, Date.parse('2026-01-01T00:00:00.000Z') + ms);
    expect([at(0), at(540_000), at(599_500), at(600_000)]).toEqual(['10 min 0 s', '1 min 0 s', '1 s', null]);
    expect(timeLeft({ ...CLEAN, expires_at: '2026-01-01T03:05:00.000Z' }, Date.parse('2026-01-01T00:00:00.000Z'))).toBe(
      '3 h 5 min',
    );
    expect(timeLeft({ ...CLEAN, expires_at: null }, 0)).toBe('no limit');
  });
});
