import type { JsonObject } from '../../../domain/json.js';
import type { Decision, NewRun } from '../../server/wire.js';
import type { ServerCheck } from './evidence.js';

/** A run as a scene steers it from outside. Each method waits for what it is about, for five minutes at most. */
export interface SteeredRun {
  /** Until a call waits for a person. */
  pending: (toolCallId: string) => Promise<unknown>;
  decide: (toolCallId: string, decision: Decision) => Promise<void>;
  /** Until the gate has recorded a call. */
  asked: (toolCallId: string) => Promise<void>;
  /** Until the run is running; one that is stopped before is not asked to wind down. */
  running: () => Promise<void>;
  cancel: () => Promise<void>;
}

/** One run of the kit: what its probes ask from inside the sandbox, what is done from outside meanwhile, and what must be seen. */
export interface Scene {
  name: string;
  /** Items of the run's one probe step (docs/runner-contract.md). */
  probes: readonly (JsonObject | readonly JsonObject[])[];
  budgets?: NonNullable<NewRun['budgets']>;
  /** Acts through `/v1` while the run goes on. */
  conduct?: (run: SteeredRun) => Promise<void>;
  checks: readonly ServerCheck[];
}
