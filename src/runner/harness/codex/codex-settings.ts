import type { JsonObject } from '../../../domain/json.js';
import { networkSentence } from '../../../domain/network/tool-variables.js';
import type { HarnessContext } from '../harness.js';
import type { OfferedTools } from './offered-tools.js';

const PROVIDER = 'sandgate';
/** The gateway gives a model 900 s; the client waits a little longer, so that the gateway's own answer arrives. */
const IDLE_TIMEOUT_MS = 920_000;
const REQUEST_RETRIES = 4;
/** What is refused with 429 is asked again after the time that the answer names; each counts as one broken stream. */
const STREAM_RETRIES = 12;

/** What every run is told before the agent's own instructions. */
const groundRules = (
  network: string,
): string => `You work in a disposable sandbox on the files in the working directory.

- ${network} Nobody can answer questions: decide yourself and say what you assumed.
- Every tool call is checked against a policy before it runs. Some wait for a person's approval, which can take minutes. When one is denied, read the reason, do not repeat it in disguise, and find another way or leave that part undone.
- Leave \`workdir\` inside the working directory, omit \`login\`, \`shell\`, \`sandbox_permissions\` and \`prefix_rule\`, and set \`timeout_ms\` for whatever takes longer than ten seconds.
- When the task is done, or cannot be done, answer with a short summary: what you changed, what you verified, what was denied or is left.`;

/** Settings on the command line: they win over every file and repeat what matters for safety (docs/design/runner.md). No secret stands here. */
export function commandLineSettings(plane: string, catalogPath: string): string[] {
  const settings: Record<string, string | number | boolean> = {
    model_provider: PROVIDER,
    [`model_providers.${PROVIDER}.name`]: 'Sandgate',
    [`model_providers.${PROVIDER}.base_url`]: `${plane}/internal/llm/v1`,
    [`model_providers.${PROVIDER}.wire_api`]: 'responses',
    [`model_providers.${PROVIDER}.requires_openai_auth`]: false,
    [`model_providers.${PROVIDER}.supports_websockets`]: false,
    [`model_providers.${PROVIDER}.request_max_retries`]: REQUEST_RETRIES,
    [`model_providers.${PROVIDER}.stream_max_retries`]: STREAM_RETRIES,
    [`model_providers.${PROVIDER}.stream_idle_timeout_ms`]: IDLE_TIMEOUT_MS,
    model_catalog_json: catalogPath,
    model_reasoning_effort: 'low',
    approvals_reviewer: 'user',
    sandbox_mode: 'danger-full-access',
    allow_login_shell: false,
    web_search: 'disabled',
  };
  // A JSON string, number or boolean is the same in TOML.
  return Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${JSON.stringify(value)}`]);
}

/** The parameters of `thread/start`. The token goes over standard input alone: it never stands in an environment or a command line. */
export function threadParameters(context: HarnessContext, offered: OfferedTools): JsonObject {
  const { settings, tools, model } = context;
  const rules = groundRules(networkSentence(settings.network));
  return {
    cwd: tools.workspace.path,
    model: settings.model,
    modelProvider: PROVIDER,
    approvalPolicy: 'untrusted',
    approvalsReviewer: 'user',
    sandbox: 'danger-full-access',
    developerInstructions: settings.systemPrompt === null ? rules : `${rules}\n\n${settings.systemPrompt}`,
    ephemeral: true,
    dynamicTools: offered.specifications,
    config: {
      [`model_providers.${PROVIDER}.experimental_bearer_token`]: model.token,
      // Commands get the closed environment of tools and nothing of the program's own.
      shell_environment_policy: { inherit: 'none', set: tools.environment },
    },
  };
}

/** Compares the settings that the program reports with those that were asked for; null when they are the same. */
export function differenceOf(started: JsonObject, model: string): string | null {
  const expected = { model, modelProvider: PROVIDER, approvalPolicy: 'untrusted', approvalsReviewer: 'user' };
  const different = Object.entries(expected).find(([name, value]) => started[name] !== value);
  return different === undefined ? null : different[0];
}
