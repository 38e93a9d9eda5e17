import type { BenchStack } from '../bench-stack.js';

/** Of a tenth of a second each. */
const MAX_LOOKS = 3000;

interface Event {
  type: string;
  occurred_at: string;
  payload: { data: { tool_call_id?: string } };
}

/** Plays a run. @returns milliseconds from sending the request to the agent's first tool call on the record */
export async function timeFirstToolCall(stack: BenchStack, request: object): Promise<number> {
  const sentAt = Date.now();
  const { session } = await stack.json<{ session: { id: string } }>('POST', '/v1/sessions', request);
  await untilCompleted(stack, session.id);
  const { events } = await stack.json<{ events: Event[] }>('GET', `/v1/sessions/${session.id}/events`);
  const first = events.find(
    ({ type, payload }) => type === 'tool.requested' && payload.data.tool_call_id?.startsWith('setup_') !== true,
  );
  if (first === undefined) throw new Error('a run of the benchmark made no tool call');
  return Date.parse(first.occurred_at) - sentAt;
}

async function untilCompleted(stack: BenchStack, run: string): Promise<void> {
  // The record has the times; looking often would only take processor from what is measured.
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { session } = await stack.json<{ session: { status: string; status_reason: string | null } }>(
      'GET',
      `/v1/sessions/${run}`,
    );
    if (session.status === 'completed') return;
    if (['failed', 'cancelled'].includes(session.status)) {
      throw new Error(`a run of the benchmark failed: ${session.status_reason}`);
    }
  }
  throw new Error('a run of the benchmark did not end');
}
