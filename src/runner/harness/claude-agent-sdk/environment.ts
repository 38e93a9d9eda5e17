/** Every variable by which Claude Code chooses a model for something; one that is not set picks a model of its own. */
export const MODEL_VARIABLES = [
  'ANTHROPIC_MODEL',
  'ANTHROPIC_DEFAULT_MODEL',
  'ANTHROPIC_SMALL_FAST_MODEL',
  'ANTHROPIC_DEFAULT_HAIKU_MODEL',
  'ANTHROPIC_DEFAULT_SONNET_MODEL',
  'ANTHROPIC_DEFAULT_OPUS_MODEL',
  'ANTHROPIC_DEFAULT_FABLE_MODEL',
  'ANTHROPIC_CUSTOM_MODEL_OPTION',
  'CLAUDE_CODE_SUBAGENT_MODEL',
  'CLAUDE_CODE_WORKFLOW_SUBAGENT_MODEL',
  'CLAUDE_CODE_AUTO_MODE_MODEL',
  'CLAUDE_CODE_BG_CLASSIFIER_MODEL',
] as const;

/** The program finds its key on this descriptor, reads it once and forgets the variable: the token stands in no environment. */
export const KEY_FD = 3;

/** Switches off what the program does besides the run's work: other hosts, other models, its own files, background work. */
const QUIET = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_GROWTHBOOK: '1',
  DO_NOT_TRACK: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_UPDATES: '1',
  DISABLE_FEEDBACK_COMMAND: '1',
  CLAUDE_CODE_DISABLE_FEEDBACK_SURVEY: '1',
  CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
  CLAUDE_CODE_AUTO_CONNECT_IDE: '0',
  // The gateway admits the frozen model and nothing else.
  CLAUDE_CODE_DISABLE_LEGACY_MODEL_REMAP: '1',
  CLAUDE_CODE_DISABLE_MODEL_ACCESS_FALLBACK: '1',
  CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK: '1',
  CLAUDE_CODE_NO_MODEL_FALLBACK: '1',
  CLAUDE_CODE_DISABLE_FAST_MODE: '1',
  CLAUDE_CODE_DISABLE_ADVISOR_TOOL: '1',
  // Gateways and other providers know the documented wire format only, and a tool that is looked up later is not in the request.
  CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
  ENABLE_TOOL_SEARCH: 'false',
  // Fresh in every sandbox; the home folder may hold what setup commands put there.
  CLAUDE_CONFIG_DIR: '/tmp/claude',
  // Instructions come from the revision, and not from files of the workspace.
  CLAUDE_CODE_DISABLE_CLAUDE_MDS: '1',
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
  CLAUDE_CODE_DISABLE_BUNDLED_SKILLS: '1',
  CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING: '1',
  CLAUDE_CODE_SKIP_PROMPT_HISTORY: '1',
  // The run ends with the agent's last message, so nothing may go on in the background, later or in another session.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
  CLAUDE_CODE_DISABLE_CRON: '1',
  CLAUDE_CODE_DISABLE_WORKFLOWS: '1',
  CLAUDE_CODE_DISABLE_AGENT_VIEW: '1',
  CLAUDE_CODE_ENABLE_TASKS: '0',
  CLAUDE_CODE_ENABLE_TODO_TOOLS: '1',
  // The gateway gives a model 900 s; its own answer should arrive.
  API_TIMEOUT_MS: '920000',
} as const;

/** Names of variables that configure the program, its runtime or its HTTP client: an agent's revision may not set them. */
const STEERING =
  /^(?:CLAUDE|AI_AGENT$|BUN_|MCP_|API_|OTEL_|DISABLE_|ENABLE_|USE_|MAX_|FORCE_(?!COLOR$)|DO_NOT_TRACK$|IS_SANDBOX$|USER_TYPE$|SSL_CERT_|AWS_|GOOGLE_|CLOUD_ML_|VERTEX_|AZURE_)|_PROXY$/i;

export interface ProgramEnvironment {
  variables: Record<string, string>;
  /** Names of the revision's variables that were left out, sorted. */
  leftOut: string[];
}

/**
 * The whole environment of the program, which its tools inherit: that of tool processes, the way out, the gateway's address, the frozen model
 * in every model variable, and everything else off. No token is in it (docs/design/runner.md).
 */
export function programEnvironment(input: {
  tools: Record<string, string>;
  /** Those of the tools that lead out: the program's own requests go to loopback, and its tools need them. */
  network?: Record<string, string>;
  model: string;
  baseUrl: string;
}): ProgramEnvironment {
  const network = input.network ?? {};
  const kept = Object.entries(input.tools).filter(([name]) => !STEERING.test(name));
  return {
    variables: {
      ...Object.fromEntries(kept),
      ...network,
      ...Object.fromEntries(MODEL_VARIABLES.map((name) => [name, input.model])),
      ...QUIET,
      ANTHROPIC_BASE_URL: input.baseUrl,
      CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR: String(KEY_FD),
    },
    leftOut: Object.keys(input.tools)
      .filter((name) => STEERING.test(name) && !(name in network))
      .toSorted(),
  };
}
