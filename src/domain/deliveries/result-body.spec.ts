import { describe, expect, it } from '@jest/globals';
import { resultBody, type RunResult } from './result-body.js';

const RESULT: RunResult = {
  run: {
    id: 'r',
    status: 'completed',
    status_reason: null,
    agent_id: 'a',
    agent_revision_id: 'v',
    agent_name: 'fixer',
    task: 'repair',
    summary: 'repaired',
    invocation: { kind: 'api' },
    created_at: '2026-01-01T00:00:00.000Z',
    started_at: null,
    finished_at: '2026-01-01T00:01:00.000Z',
  },
  usage: {
    input_tokens: 1,
    output_tokens: 2,
    cache_read_tokens: 3,
    cache_write_tokens: 4,
    cost_usd: 0.5,
    requests: 1,
    tool_calls: 2,
  },
  artifacts: [{ id: 'f', kind: 'diff', name: 'changes.patch', content_type: 'text/x-diff', content: '+1' }],
};

describe('the body of a result', () => {
  it('CP-104 names its event, its delivery and its attempt, and carries run, usage and artifacts', () => {
    expect(Object.keys(resultBody(RESULT, { id: 'd', attempt: 2 }))).toEqual([
      'event',
      'delivery_id',
      'attempt',
      'run',
      'usage',
      'artifacts',
    ]);
    expect(resultBody(RESULT, { id: 'd', attempt: 2 })).toMatchObject({
      event: 'run.finished',
      delivery_id: 'd',
      attempt: 2,
    });
  });

  it('CP-104 is the same for whoever polls, without a delivery and an attempt', () => {
    expect(resultBody(RESULT, null)).toEqual({
      ...resultBody(RESULT, { id: 'd', attempt: 2 }),
      delivery_id: null,
      attempt: null,
    });
  });
});
