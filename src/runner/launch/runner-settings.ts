import { parseToldNetwork, type ToldNetwork } from '../../domain/network/tool-variables.js';
import { SANDBOX_PROFILES, type SandboxProfile } from '../self-check/points.js';
import { parseManifest } from './server-manifest.js';
import type { CapabilityManifest } from './server-manifest.js';
import { parseSetup } from './setup-settings.js';
import type { SetupSettings } from './setup-settings.js';

export interface RunnerSettings {
  controlUrl: string;
  /** Unix socket of the runner plane; null where the plane is reached over TCP (Kubernetes). */
  planeSocket: string | null;
  runId: string;
  harness: string;
  task: string;
  model: string;
  workspace: string;
  /** What the self-check holds the sandbox against. */
  sandboxProfile: SandboxProfile;
  systemPrompt: string | null;
  maxTurns: number;
  replayDelayMs: number;
  /** MCP servers that the run starts inside its sandbox, and those that the control plane calls for it. */
  capabilities: CapabilityManifest;
  /** What the run may reach outside. */
  network: ToldNetwork;
  /** What the agent's revision adds to the environment of tool processes; none of it is ours. */
  agentVariables: Record<string, string>;
  /** What this runner is started for instead of the agent; null for a runner that runs an agent. */
  setup: SetupSettings | null;
}

/** A required variable is absent or has no usable value: exit code 2 (docs/design/runner.md). */
export class MissingVariableError extends Error {
  override readonly name = 'MissingVariableError';
}

const RESERVED_PREFIXES = ['SERVICE_', 'ANTHROPIC_', 'OPENAI_'];
const DEFAULT_MAX_TURNS = 60;
const DEFAULT_REPLAY_DELAY_MS = 400;

export function readSettings(variables: Record<string, string>): RunnerSettings {
  return {
    controlUrl: required(variables, 'SERVICE_CONTROL_URL').replace(/\/+$/, ''),
    planeSocket: variables['SERVICE_PLANE_SOCKET'] || null,
    runId: required(variables, 'SERVICE_SESSION_ID'),
    harness: required(variables, 'SERVICE_HARNESS'),
    task: required(variables, 'SERVICE_TASK'),
    model: required(variables, 'SERVICE_MODEL'),
    workspace: variables['SERVICE_WORKSPACE'] || '/workspace',
    sandboxProfile: profileOf(variables['SERVICE_SANDBOX_PROFILE']),
    systemPrompt: variables['SERVICE_SYSTEM_PROMPT'] || null,
    maxTurns: wholeNumber(variables, 'SERVICE_MAX_TURNS', DEFAULT_MAX_TURNS, 1),
    replayDelayMs: wholeNumber(variables, 'SERVICE_REPLAY_DELAY_MS', DEFAULT_REPLAY_DELAY_MS, 0),
    capabilities: capabilities(variables['SERVICE_CAPABILITIES']),
    network: network(variables['SERVICE_NETWORK']),
    agentVariables: agentVariables(variables),
    setup: setup(variables['SERVICE_SETUP']),
  };
}

/** The strictest without a name. */
function profileOf(name: string | undefined): SandboxProfile {
  return SANDBOX_PROFILES.find((profile) => profile === name) ?? 'bubblewrap';
}

function required(variables: Record<string, string>, name: string): string {
  const value = variables[name];
  if (!value) throw new MissingVariableError(`variable ${name} is missing`);
  return value;
}

function wholeNumber(variables: Record<string, string>, name: string, fallback: number, minimum: number): number {
  const text = variables[name];
  if (!text) return fallback;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < minimum) {
    throw new MissingVariableError(`variable ${name} must be a whole number of at least ${minimum}`);
  }
  return value;
}

function capabilities(manifest: string | undefined): CapabilityManifest {
  if (!manifest) return { sandbox: [], brokered: [] };
  const parsed = parseManifest(manifest);
  if (parsed === null) throw new MissingVariableError('variable SERVICE_CAPABILITIES is not a manifest of servers');
  return parsed;
}

function network(text: string | undefined): ToldNetwork {
  const told = parseToldNetwork(text);
  if (told === null) throw new MissingVariableError('variable SERVICE_NETWORK is not the network of a run');
  return told;
}

function setup(document: string | undefined): SetupSettings | null {
  if (!document) return null;
  const parsed = parseSetup(document);
  if (parsed === null) throw new MissingVariableError('variable SERVICE_SETUP is not a list of commands with a limit');
  return parsed;
}

function agentVariables(variables: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).filter(([name]) => !RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix))),
  );
}
