import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/random/any-character.js';
import { carriesMarker, commentText } from './comment-text.js';
import type { PublishedRun } from './published-run.js';

const TRIGGER = { id: '0198c0de-0000-7000-8000-000000000001', name: 'review' };
const OTHER = { id: '0198c0de-0000-7000-8000-000000000002' };
const MARKER = `<!-- service:sub:${TRIGGER.id} -->`;

const run = (members: Partial<PublishedRun> = {}): PublishedRun => ({
  id: '0198c0de-0000-7000-8000-00000000000f',
  status: 'completed',
  agentName: 'fixer',
  summary: 'All well.',
  commit: '0123456789abcdef0123456789abcdef01234567',
  finishedAt: '2026-07-01T10:00:00.000Z',
  ...members,
});

describe('the comment at a pull request', () => {
  it('CP-110 says who reviewed, what came of it, and for which trigger, run and commit', () => {
    expect(commentText(run(), TRIGGER)).toBe(
      `### 🤖 fixer review

All well.

---

_trigger review · run 0198c0de-0000-7000-8000-00000000000f · commit 0123456789ab_

${MARKER}`,
    );
  });

  it('warns above the summary unless the run completed', () => {
    const text = commentText(run({ status: 'budget_exceeded' }), TRIGGER);
    expect(text).toContain('### 🤖 fixer review\n\n> ⚠️ The run ended as **budget\\_exceeded**.\n\nAll well.');
    expect(commentText(run(), TRIGGER)).not.toContain('⚠️');
  });

  it('says that there is no summary, and names no commit where none is known', () => {
    const text = commentText(run({ summary: ' \n', commit: null }), TRIGGER);
    expect(text).toContain('\n\n(no summary produced)\n\n---\n\n_trigger review · run ');
    expect(text).not.toContain('commit');
    expect(commentText(run({ summary: null }), TRIGGER)).toContain('(no summary produced)');
  });

  it.each([
    ['the marker of another trigger at its end', `fine <!-- service:sub:${OTHER.id} -->`],
    ['that marker and white space', `<!-- service:sub:${OTHER.id} -->\n\n \t\u00a0\u2028`],
    ['the beginning of a comment', 'fine <!--'],
    ['a code block that is never closed', `\`\`\`\n<!-- service:sub:${OTHER.id} -->`],
    ['folded details that are never closed', '<details><summary>more</summary>'],
    ['carriage returns and control characters', `a\r<!-- service:sub:${OTHER.id} -->\u0000\u0085`],
    ['half a character', '\ud800'],
  ])('keeps its marker last when the agent wrote %s', (_, summary) => {
    const text = commentText(run({ summary }), TRIGGER);
    expect(text.endsWith(`_\n\n${MARKER}`)).toBe(true);
    expect(text.isWellFormed()).toBe(true);
    expect(carriesMarker(text, TRIGGER)).toBe(true);
    expect(carriesMarker(text, OTHER)).toBe(false);
  });

  it('keeps its marker last, the footer before it and within its size, whatever the agent and the names are', () => {
    const hostile = fc.array(
      fc.oneof(
        fc.string({ unit: anyCharacter }),
        fc.constantFrom(
          '<!--',
          '-->',
          '```',
          '~~~~',
          '\n',
          '`',
          '<',
          MARKER,
          `<!-- service:sub:${OTHER.id} -->`,
          '---',
          '\r',
        ),
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(hostile, fc.string({ unit: anyCharacter }), fc.nat(3), (parts, name, times) => {
        const summary = parts.join('').repeat(10 ** times);
        const text = commentText(run({ summary, agentName: name }), { ...TRIGGER, name });
        const lines = text.split('\n');
        expect(lines.at(-1)).toBe(MARKER);
        expect(lines.at(-3)).toMatch(
          /^_trigger .* · run 0198c0de-0000-7000-8000-00000000000f · commit 0123456789ab_$/u,
        );
        expect(carriesMarker(text, OTHER)).toBe(false);
        expect(Array.from(text).length).toBeLessThanOrEqual(65_000);
      }),
      { numRuns: 300 },
    );
  });

  it('is found by the marker at its end alone', () => {
    expect(carriesMarker(`${MARKER}\n`, TRIGGER)).toBe(true);
    expect(carriesMarker(`> ${MARKER}\n\nI agree`, TRIGGER)).toBe(false);
    expect(carriesMarker('', TRIGGER)).toBe(false);
  });

  it('shows names as they are written', () => {
    const text = commentText(run({ agentName: 'a_b' }), { ...TRIGGER, name: 'x`<!-- *y*\n# z' });
    expect(text).toContain('### 🤖 a\\_b review');
    expect(text).toContain('_trigger x\\`\\<\\!-- \\*y\\* \\# z · run ');
  });
});
