import { Injectable } from '@nestjs/common';
import { ApiConfig } from '../foundation.module.js';

/** One agent program that a run can use. */
export interface Harness {
  id: string;
  displayName: string;
  models: readonly string[];
  defaultModel: string;
  /** Whether its runs call a model, and so have a cost. */
  callsModel: boolean;
  /** What must be set or installed before it can be used; null when it can. */
  unavailable: string | null;
}

/** The one model of the harness that calls none. */
export const NO_MODEL = 'none';
const CLAUDE_MODELS = ['claude-haiku-4-5', 'claude-sonnet-5', 'claude-opus-4-8'];
const CODEX_MODELS = ['gpt-5.4-mini', 'gpt-5.4', 'gpt-5.6-sol'];
const NO_UPSTREAM =
  'no model provider is configured: set ANTHROPIC_API_KEY, or SERVICE_LLM_UPSTREAM_URL with SERVICE_LLM_UPSTREAM_KEY';

/** The harness catalog (chapter 10 §10, 00-design §1): the built-in models and those of `SERVICE_MODELS_<HARNESS>`. */
@Injectable()
export class HarnessCatalog {
  readonly defaultId: string;
  readonly #harnesses: ReadonlyMap<string, Harness>;

  constructor(config: ApiConfig) {
    this.defaultId = config.harness.default;
    const noUpstream = config.llm.upstreamUrl === null && config.llm.anthropicApiKey === null ? NO_UPSTREAM : null;
    const further = config.harness.models;
    const harnesses: Harness[] = [
      modelHarness(
        'builtin',
        'Built-in',
        [...CLAUDE_MODELS, ...further.builtin],
        noUpstream,
        config.harness.defaultModel,
      ),
      {
        id: 'replay',
        displayName: 'Replay',
        models: [NO_MODEL],
        defaultModel: NO_MODEL,
        callsModel: false,
        unavailable: null,
      },
      modelHarness(
        'claude-agent-sdk',
        'Claude Agent SDK',
        [...CLAUDE_MODELS, ...further['claude-agent-sdk']],
        noUpstream,
      ),
      modelHarness('codex', 'Codex', [...CODEX_MODELS, ...further.codex], noUpstream),
    ];
    this.#harnesses = new Map(harnesses.map((harness) => [harness.id, harness]));
  }

  list(): Harness[] {
    return [...this.#harnesses.values()];
  }

  find(id: string): Harness | undefined {
    return this.#harnesses.get(id);
  }
}

function modelHarness(
  id: string,
  displayName: string,
  models: string[],
  unavailable: string | null,
  preferred?: string,
): Harness {
  const defaultModel = preferred ?? models[0] ?? NO_MODEL;
  return {
    id,
    displayName,
    models: [...new Set([...models, defaultModel])],
    defaultModel,
    callsModel: true,
    unavailable,
  };
}
