import type { JsonObject } from '../json.js';
import { EVENT_CATALOG } from './event-catalog.js';
import type { EventActor } from './event-catalog.js';
import type { DataOf } from './event-fields.js';

export type { EventActor } from './event-catalog.js';

export type EventType = keyof typeof EVENT_CATALOG;

/** The data of each kind. */
export type EventData = { [T in EventType]: DataOf<(typeof EVENT_CATALOG)[T]['data']> };

/** Kinds that a runner may post. */
export type RunnerEventType = {
  [T in EventType]: (typeof EVENT_CATALOG)[T] extends { runnerMayPost: true } ? T : never;
}[EventType];

export const EVENT_TYPES = Object.keys(EVENT_CATALOG) as EventType[];

export function mayRunnerPost(type: EventType): boolean {
  return 'runnerMayPost' in EVENT_CATALOG[type];
}

/** Kinds that the server alone writes; a runner that posts one is answered as dropped (docs/design/runner.md). */
export const SERVER_EVENT_TYPES: readonly EventType[] = EVENT_TYPES.filter((type) => !mayRunnerPost(type));

/** An event of a kind that we write: its data is that of its kind. */
export type KnownEvent = {
  [T in EventType]: { actor: (typeof EVENT_CATALOG)[T]['actors'][number]; type: T; data: EventData[T] };
}[EventType];

/** An event as a runner posted it: any kind that is not the server's, with the data that came. */
export interface RunnerEvent {
  actor: EventActor;
  type: string;
  data: JsonObject;
  /** Tells it from the events that we write ourselves. */
  posted: true;
}

/** An event before it has a place in the ledger. `data` is redacted and normalised by the append. */
export type NewEvent = KnownEvent | RunnerEvent;

/** An event as clients read it (docs/design/events.md). */
export interface LedgerEvent {
  event_id: string;
  session_id: string;
  seq: number;
  actor: EventActor;
  type: string;
  payload: { type: string; data: JsonObject };
  occurred_at: string;
}
