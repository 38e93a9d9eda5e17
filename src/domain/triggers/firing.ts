import { KEY_PREFIXES } from './invocation-key.js';
import type { MissedRunPolicy } from './subscription.js';

/** So late a firing still simply happens; later it was missed. */
export const FIRING_GRACE_MS = 30_000;

/** The clock of a schedule as the record has it; null never fires again. */
export interface ScheduleClock {
  nextFireAt: Date | null;
  missedRunPolicy: MissedRunPolicy;
}

/** What to do at some moment: nothing for `waitMs` (null: ever), a run for a slot, or a note that the slot was missed. */
export type DueFiring =
  | { action: 'wait'; waitMs: number | null }
  | { action: 'run'; slot: Date; catchUp: boolean }
  | { action: 'skip'; slot: Date };

/** However many firings were missed, one thing is done, for the oldest of them (docs/design/schedules.md). */
export function dueFiring({ nextFireAt, missedRunPolicy }: ScheduleClock, now: Date): DueFiring {
  if (nextFireAt === null) return { action: 'wait', waitMs: null };
  const lateMs = now.getTime() - nextFireAt.getTime();
  if (lateMs < 0) return { action: 'wait', waitMs: -lateMs };
  const isMissed = lateMs > FIRING_GRACE_MS;
  if (isMissed && missedRunPolicy === 'skip') return { action: 'skip', slot: nextFireAt };
  return { action: 'run', slot: nextFireAt, catchUp: isMissed };
}

/** A slot as it is written: RFC 3339 in UTC, whole seconds. */
export function fireTimeOf(slot: Date): string {
  return slot.toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** The key under which a slot is claimed, once for ever. */
export function slotKey(slot: Date): string {
  return `${KEY_PREFIXES.slot}${fireTimeOf(slot)}`;
}
