import { BUILT_IN_MODELS, defaultModelOf, HARNESS_IDS, type HarnessId } from '../../domain/harness/harness-models.js';
import type { SandgateConfig } from '../../platform/config/index.js';

/** One agent program that a run can use. */
export interface Harness {
  id: HarnessId;
  displayName: string;
  models: readonly string[];
  defaultModel: string;
  /** Whether its runs call a model, and so have a cost. */
  callsModel: boolean;
}

const DISPLAY_NAMES: Readonly<Record<HarnessId, string>> = {
  builtin: 'Built-in',
  replay: 'Replay',
  'claude-agent-sdk': 'Claude Agent SDK',
  codex: 'Codex',
};

/** The harness catalog (docs/design/tools.md): the built-in models and those of `SERVICE_MODELS_<HARNESS>`. */
export class HarnessCatalog {
  readonly defaultId: string;
  readonly #harnesses: ReadonlyMap<string, Harness>;

  constructor({ harness: config }: Pick<SandgateConfig, 'harness'>) {
    this.defaultId = config.default;
    const harnesses = HARNESS_IDS.map((id): Harness => {
      const defaultModel = defaultModelOf(id, config);
      const models = [...new Set([...BUILT_IN_MODELS[id], ...config.models[id], defaultModel])];
      return { id, displayName: DISPLAY_NAMES[id], models, defaultModel, callsModel: id !== 'replay' };
    });
    this.#harnesses = new Map(harnesses.map((harness) => [harness.id, harness]));
  }

  list(): Harness[] {
    return [...this.#harnesses.values()];
  }

  find(id: string): Harness | undefined {
    return this.#harnesses.get(id);
  }
}
