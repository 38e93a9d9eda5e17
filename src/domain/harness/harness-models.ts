import { providerOf } from '../prices/provider-of.js';

export const HARNESS_IDS = ['builtin', 'replay', 'claude-agent-sdk', 'codex'] as const;
export type HarnessId = (typeof HARNESS_IDS)[number];

/** The one model of the harness that calls none. */
export const NO_MODEL = 'none';

const CLAUDE_MODELS = ['claude-haiku-4-5', 'claude-sonnet-5', 'claude-opus-4-8'];

/** Models that every deployment has for a harness (docs/design/tools.md); `SERVICE_MODELS_<HARNESS>` adds to them. */
export const BUILT_IN_MODELS: Readonly<Record<HarnessId, readonly string[]>> = {
  builtin: CLAUDE_MODELS,
  replay: [NO_MODEL],
  'claude-agent-sdk': CLAUDE_MODELS,
  codex: ['gpt-5.4-mini', 'gpt-5.4', 'gpt-5.6-sol'],
};

/** What a deployment prefers: `SERVICE_DEFAULT_MODEL` and `SERVICE_DEFAULT_CODEX_MODEL`. */
export interface PreferredModels {
  defaultModel: string;
  defaultCodexModel: string;
}

/** The model of agents on this harness that name none. Claude Code gets the preferred one only when it is a Claude model. */
export function defaultModelOf(harness: HarnessId, preferred: PreferredModels): string {
  switch (harness) {
    case 'builtin':
      return preferred.defaultModel;
    case 'replay':
      return NO_MODEL;
    case 'claude-agent-sdk':
      return providerOf(preferred.defaultModel) === 'anthropic'
        ? preferred.defaultModel
        : (CLAUDE_MODELS[0] ?? NO_MODEL);
    case 'codex':
      return preferred.defaultCodexModel;
  }
}
