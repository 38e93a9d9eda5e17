import type { TimelineEvent } from './live-stack.js';

/** The data of every event of a type, in their order. */
export function eventsOf(timeline: TimelineEvent[], type: string): Record<string, unknown>[] {
  return timeline.filter((event) => event.type === type).map((event) => event.payload.data);
}
