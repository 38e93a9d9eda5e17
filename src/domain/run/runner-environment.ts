import { SandgateError } from '../errors.js';
import { toldNetwork } from '../network/tool-variables.js';
import type { FrozenSetup, FrozenTool, RunSpec } from './spec.js';

/** Largest sum of key + value + 2 over all variables (docs/design/runs.md). */
export const RUNNER_ENVIRONMENT_MAX_BYTES = 512 * 1024;

/**
 * The variables that the program inside the sandbox is given. Tokens are not among them: they travel
 * by descriptor and never stand in an environment.
 * @throws SandgateError `invalid_request` naming the four largest variables when the sum passes 512 KiB.
 */
export function buildRunnerEnvironment(runId: string, spec: RunSpec): Record<string, string> {
  const variables = commonEnvironment(runId, spec);
  const manifest = capabilityManifest(spec);
  if (manifest !== null) variables['SERVICE_CAPABILITIES'] = manifest;
  if (spec.system_prompt !== null) variables['SERVICE_SYSTEM_PROMPT'] = spec.system_prompt;
  const { setup } = spec;
  assertEnvironmentFits(setup === undefined ? variables : { ...variables, SERVICE_SETUP: setupDocument(setup) });
  return variables;
}

/** The variables of the sandbox that prepares the workspace before the agent has one (docs/design/setup.md). */
export function buildSetupEnvironment(runId: string, spec: RunSpec, setup: FrozenSetup): Record<string, string> {
  return { ...commonEnvironment(runId, spec), SERVICE_SETUP: setupDocument(setup) };
}

function setupDocument({ commands, timeout_secs }: FrozenSetup): string {
  return JSON.stringify({ commands, timeout_secs });
}

function commonEnvironment(runId: string, spec: RunSpec): Record<string, string> {
  return {
    SERVICE_CONTROL_URL: 'http://plane',
    SERVICE_PLANE_SOCKET: '/run/sandgate/plane.sock',
    SERVICE_SESSION_ID: runId,
    SERVICE_HARNESS: spec.harness,
    SERVICE_TASK: spec.task,
    SERVICE_AUTONOMY: spec.autonomy,
    SERVICE_MODEL: spec.model,
    SERVICE_WORKSPACE: '/workspace',
    ...(spec.network.mode === 'offline' ? {} : { SERVICE_NETWORK: JSON.stringify(toldNetwork(spec.network)) }),
    // For tool processes only; our own names are reserved (agent-variables).
    ...spec.env,
  };
}

/**
 * The manifest of what the runner starts and shows to the model: frozen servers with their frozen tools. Of a connected service
 * it has the slot and the tools: no address, no ids and no credentials. Null when there is nothing.
 */
function capabilityManifest({ capabilities = [], brokered = [] }: RunSpec): string | null {
  const sandbox = capabilities
    .flatMap((bundle) => bundle.servers)
    .map(({ name, command, args, tools }) => ({ class: 'sandbox', name, command, args, tools: tools.map(shown) }));
  const connected = brokered.map(({ slot, tools }) => ({ class: 'brokered', name: slot, tools: tools.map(shown) }));
  const servers = [...sandbox, ...connected];
  return servers.length === 0 ? null : JSON.stringify({ servers });
}

function shown({ name, description, input_schema }: FrozenTool): object {
  return { name, description, input_schema };
}

function assertEnvironmentFits(variables: Record<string, string>): void {
  const sizes = Object.entries(variables).map(([name, value]) => ({
    name,
    bytes: Buffer.byteLength(name) + Buffer.byteLength(value) + 2,
  }));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= RUNNER_ENVIRONMENT_MAX_BYTES) return;
  const largest = sizes
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, 4)
    .map(({ name, bytes }) => `${name} (${bytes} bytes)`);
  throw new SandgateError(
    'invalid_request',
    `The runner environment is ${total} bytes, more than ${RUNNER_ENVIRONMENT_MAX_BYTES}. Largest: ${largest.join(', ')}. Shorten the task or the system prompt, or keep fewer capabilities.`,
  );
}
