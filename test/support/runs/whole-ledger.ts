import { expect } from '@jest/globals';
import { GRANT_QUESTION } from '../../../src/domain/network/grant-question.js';
import type { LiveStack, TimelineEvent } from '../installation/live-stack.js';

/** Checks of every ended run: a gapless ledger, one end, one decision for each requested call, each in its order. */
export async function expectWholeLedger(stack: LiveStack, runId: string): Promise<TimelineEvent[]> {
  const events = await stack.until(`run.result of ${runId}`, 30_000, async () => {
    const timeline = await stack.timeline(runId);
    return timeline.some((event) => event.type === 'run.result') ? timeline : undefined;
  });
  expect(events.map((event) => event.seq)).toEqual(events.map((_event, index) => index + 1));
  expect(events.filter((event) => event.type === 'run.result')).toHaveLength(1);
  expect(events.filter((event) => event.type === 'session.created')).toHaveLength(1);
  const requested = events.filter((event) => event.type === 'tool.requested').map(callOf);
  // No agent asks for a grant of the network: it is no call.
  const decided = events
    .filter((event) => event.type === 'tool.decision')
    .map(callOf)
    .filter((id) => id !== GRANT_QUESTION.toolCallId);
  expect(new Set(requested).size).toBe(requested.length);
  expect(decided.toSorted()).toEqual(requested.toSorted());
  return events;
}

function callOf(event: TimelineEvent): string {
  return String(event.payload.data['tool_call_id']);
}
