import { describe, expect, it } from '@jest/globals';
import { TERMINAL_STATUSES } from '../run/status.js';
import { checkReport, statusReport } from './check-report.js';

const TRIGGER = { id: '0198c0de-0000-7000-8000-000000000001', name: 'review' };
const RUN = {
  id: '0198c0de-0000-7000-8000-00000000000f',
  status: 'completed',
  agentName: 'fixer',
  summary: 'All well.',
  commit: null,
  finishedAt: '2026-07-01T10:00:00.000Z',
};

describe('the check at a commit', () => {
  it('CP-110 tells how the run went, under the name of the trigger', () => {
    expect(checkReport(RUN, TRIGGER)).toEqual({
      name: 'service/review',
      external_id: 'service:sub:0198c0de-0000-7000-8000-000000000001',
      status: 'completed',
      conclusion: 'success',
      completed_at: '2026-07-01T10:00:00.000Z',
      output: { title: 'fixer: completed', summary: 'All well.' },
    });
    expect(statusReport(RUN, TRIGGER)).toEqual({
      context: 'service/review',
      state: 'success',
      description: 'fixer: completed',
    });
  });

  it('has a conclusion and a state for every end', () => {
    const said = TERMINAL_STATUSES.map((status) => [
      status,
      checkReport({ ...RUN, status }, TRIGGER).conclusion,
      statusReport({ ...RUN, status }, TRIGGER).state,
    ]);
    expect(said).toEqual([
      ['completed', 'success', 'success'],
      ['failed', 'failure', 'failure'],
      ['cancelled', 'cancelled', 'error'],
      ['budget_exceeded', 'failure', 'failure'],
    ]);
    expect(checkReport({ ...RUN, status: 'lost' }, TRIGGER).conclusion).toBe('failure');
  });

  it('keeps to what hosts take', () => {
    const long = { ...RUN, agentName: '🤖'.repeat(300), summary: 'x'.repeat(70_000) };
    expect(Array.from(checkReport(long, TRIGGER).output.summary).length).toBeLessThanOrEqual(60_000);
    expect(Array.from(statusReport(long, TRIGGER).description)).toHaveLength(140);
    expect(Array.from(statusReport(RUN, { ...TRIGGER, name: 'y'.repeat(400) }).context)).toHaveLength(255);
    expect(checkReport({ ...RUN, summary: null }, TRIGGER).output.summary).toBe('(no summary produced)');
  });
});
