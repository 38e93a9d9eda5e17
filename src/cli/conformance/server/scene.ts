import type { JsonObject } from '../../../domain/json.js';
import type { NewRun } from '../../server/wire.js';
import type { SceneRun } from './scene-run.js';
import type { ServerCheck } from './evidence.js';

/** One run of the kit: what its probes ask from inside the sandbox, what is done from outside meanwhile, and what must be seen. */
export interface Scene {
  name: string;
  /** Items of the run's one probe step (docs/runner-contract.md). */
  probes: readonly (JsonObject | readonly JsonObject[])[];
  budgets?: NonNullable<NewRun['budgets']>;
  /** Acts through `/v1` while the run goes on. */
  conduct?: (run: SceneRun) => Promise<void>;
  checks: readonly ServerCheck[];
}
