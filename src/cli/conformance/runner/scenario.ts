import type { JsonObject } from '../../../domain/json.js';
import type { ScriptedAnswer } from '../../demo/wire/model-script.js';
import type { Clock, Obligation } from './record.js';
import type { ScriptedPlane, ScriptedPlaneOptions } from './scripted-plane.js';

/** What a scenario can observe and do during its run. */
export interface Stage {
  plane: ScriptedPlane;
  workspace: string;
  clock: Clock;
  /** Settles when the runner's process has ended. */
  ended: Promise<unknown>;
  /** Keeps a number for the obligations to judge by. */
  note: (name: string, value: number) => void;
  /** Waits until something holds; false when the run ended before. */
  until: (holds: () => boolean) => Promise<boolean>;
}

/** The one tool of the connected service of a scenario that has any. */
export const SERVICE_TOOL = 'mcp__crm__find';

/** One run of a runner against a scripted runner plane. */
export interface Scenario {
  name: string;
  /**
   * What the agent wants to run in a shell, in this order. Each names its number as `call-<n>`, so that it is recognised in
   * whatever tool the runner makes of it.
   */
  commands: readonly string[];
  /** Arguments of calls of {@link SERVICE_TOOL}, made before the commands; without any the run has no connected service. */
  services?: readonly JsonObject[];
  plane: (clock: Clock) => ScriptedPlaneOptions;
  conduct?: (stage: Stage) => Promise<void>;
  /** Makes the hand-off document unusable. */
  document?: (text: string) => string;
  /** Instead of the commands: a task that is no script, and a model that refuses. */
  failing?: true;
  /** Before its answers the model gives these; a scenario that has any is for runners with a model. */
  modelFirst?: readonly ScriptedAnswer[];
  /** Seconds of the contract after which the runner is killed. */
  limitSecs: number;
  obligations: readonly Obligation[];
}
