import { HARNESS_IDS, type HarnessId } from '../../domain/harness/harness-models.js';
import { oneOf, text, wordList } from './readers.js';
import { setting } from './setting.js';

/** Which agent program runs, and what models it may name. */
export class HarnessConfig {
  @setting({
    variable: 'SERVICE_DEFAULT_HARNESS',
    read: oneOf(...HARNESS_IDS),
    default: 'builtin',
    about: 'Harness of agents that name none.',
  })
  readonly default!: HarnessId;

  @setting({
    variable: 'SERVICE_DEFAULT_MODEL',
    read: text,
    default: 'claude-haiku-4-5',
    about: 'Model of agents on `builtin` that name none, and of those on `claude-agent-sdk` when it is a Claude model.',
  })
  readonly defaultModel!: string;

  @setting({
    variable: 'SERVICE_DEFAULT_CODEX_MODEL',
    read: text,
    default: 'gpt-5.4-mini',
    about: 'Model of agents on `codex` that name none.',
  })
  readonly defaultCodexModel!: string;

  @setting({
    variable: 'SERVICE_MODELS_BUILTIN',
    read: wordList,
    default: () => [],
    defaultText: 'none',
    about: 'Models of harness `builtin` beside the built-in list.',
  })
  readonly modelsBuiltin!: readonly string[];

  @setting({
    variable: 'SERVICE_MODELS_CLAUDE_AGENT_SDK',
    read: wordList,
    default: () => [],
    defaultText: 'none',
    about: 'Models of harness `claude-agent-sdk` beside the built-in list.',
  })
  readonly modelsClaudeAgentSdk!: readonly string[];

  @setting({
    variable: 'SERVICE_MODELS_CODEX',
    read: wordList,
    default: () => [],
    defaultText: 'none',
    about: 'Models of harness `codex` beside the built-in list.',
  })
  readonly modelsCodex!: readonly string[];

  /** Further models by harness id; `replay` has its one model, `none`. */
  get models(): Readonly<Record<HarnessId, readonly string[]>> {
    return {
      builtin: this.modelsBuiltin,
      replay: [],
      'claude-agent-sdk': this.modelsClaudeAgentSdk,
      codex: this.modelsCodex,
    };
  }
}
