import { oneOf, text, wordList } from './readers.js';
import { setting } from './setting.js';

const HARNESSES = ['builtin', 'replay', 'claude-agent-sdk', 'codex'] as const;
export type HarnessId = (typeof HARNESSES)[number];

/** Which agent program runs, and what models it may name. */
export class HarnessConfig {
  @setting({
    variable: 'SERVICE_DEFAULT_HARNESS',
    read: oneOf(...HARNESSES),
    default: 'builtin',
    about: 'Harness of agents that name none.',
  })
  readonly default!: HarnessId;

  @setting({
    variable: 'SERVICE_DEFAULT_MODEL',
    read: text,
    default: 'claude-haiku-4-5',
    about: 'Model of agents that name none.',
  })
  readonly defaultModel!: string;

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
