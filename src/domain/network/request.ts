import { SandgateError } from '../errors.js';
import { NETWORK_MODES, type NetworkMode } from './network-cap.js';
import { isPresetName, unknownPreset, type PresetName, type Presets } from './presets.js';
import { NetworkRefused, WHAT_WORKS } from './refusal.js';
import { isCovered, parseTarget, type NameTarget } from './target.js';

export const MAX_TARGETS = 256;
export const MAX_TARGET_CHARS = 300;
/** Longest grant that a request may name: a week. */
export const MAX_GRANT_SECS = 604_800;

/** The members of `network` as a client writes them; {@link readNetworkRequest} decides whether they make sense. */
export interface NetworkInput {
  mode: string;
  targets?: string[] | null;
  presets?: string[] | null;
  duration_secs?: number | null;
}

/** What an agent or a run asks of the network, as it was written. */
export interface NetworkRequest {
  mode: NetworkMode;
  /** `host:port` or `*.suffix:port`. */
  targets?: string[];
  presets?: PresetName[];
  /** How long a grant is asked for; without it as long as the policy allows. */
  duration_secs?: number;
}

/** A target with the member that asks for it. */
export interface WantedTarget {
  at: string;
  target: NameTarget;
}

/** Targets, and the variables of the presets that they come from. */
export interface Wanted {
  targets: WantedTarget[];
  variables: Record<string, string>;
}

const OFFLINE: NetworkRequest = { mode: 'offline' };
/** Long texts of a client are cut before they are shown. */
const MAX_SHOWN = 80;

/**
 * Reads `network` of a request; its targets are judged where it is used ({@link readWanted}).
 * @throws SandgateError `invalid_request` that names the member
 */
export function readNetworkRequest(input: NetworkInput): NetworkRequest {
  const mode = NETWORK_MODES.find((known) => known === input.mode);
  if (mode === undefined) throw invalid(`network.mode: must be offline or approved, not ${shown(input.mode)}`);
  const targets = [...new Set(input.targets ?? [])];
  const presets = [...new Set((input.presets ?? []).map(readPresetName))];
  const duration = input.duration_secs ?? undefined;
  if (mode === 'offline') refuseOfOffline({ targets, presets, duration_secs: duration });
  return {
    mode,
    ...(targets.length === 0 ? {} : { targets }),
    ...(presets.length === 0 ? {} : { presets }),
    ...(duration === undefined ? {} : { duration_secs: duration }),
  };
}

/**
 * What a revision may ask for: a request that names something, all of which exists.
 * @throws NetworkRefused
 */
export function assertAskable(request: NetworkRequest, presets: Presets): void {
  if (request.mode === 'public') throw publicRefused();
  if (request.mode === 'offline') return;
  if (readWanted(request, presets).targets.length > 0) return;
  throw new NetworkRefused('invalid_target', 'network.targets: approved needs targets or presets');
}

/** There is no way to hold a run that may reach everything to anything. */
export function publicRefused(): NetworkRefused {
  return new NetworkRefused('mode_ceiling', `network.mode: public is not available here (mode_ceiling): ${WHAT_WORKS}`);
}

/**
 * The request of a run: what its agent asks for, or less. A run that asks for more is refused and never silently narrowed;
 * `public` is left to the resolution of the grant, which knows why not.
 *
 * @param run what the run says; null when it says nothing
 * @throws SandgateError `invalid_request` that names the member
 */
export function narrowNetwork(
  agent: NetworkRequest | null,
  run: NetworkRequest | null,
  presets: Presets,
): NetworkRequest {
  const granted = agent ?? OFFLINE;
  if (run === null) return granted;
  if (run.mode !== 'approved') return run;
  if (granted.mode !== 'approved') {
    throw invalid("network.mode: approved is more than the agent's network, which is offline");
  }
  const narrowed = run.targets === undefined && run.presets === undefined ? granted : run;
  if (narrowed === run) refuseWider(granted, run, presets);
  return { ...narrowed, ...shorter(granted, run) };
}

function refuseWider(agent: NetworkRequest, run: NetworkRequest, presets: Presets): void {
  const granted = readWanted(agent, presets).targets.map(({ target }) => target);
  const wider = readWanted(run, presets).targets.find(({ target }) => !isCovered(target, granted));
  if (wider !== undefined) throw invalid(`${wider.at}: is not within the agent's network`);
}

function shorter(agent: NetworkRequest, run: NetworkRequest): Pick<NetworkRequest, 'duration_secs'> {
  const said = [agent.duration_secs, run.duration_secs].filter((secs) => secs !== undefined);
  return said.length === 0 ? {} : { duration_secs: Math.min(...said) };
}

/**
 * The targets that a request means, presets expanded, each once.
 * @throws NetworkRefused `invalid_target`
 */
export function readWanted(request: NetworkRequest, presets: Presets): Wanted {
  const named = (request.targets ?? []).map((text, index) => readTarget(text, `network.targets[${index}]`));
  const expanded = (request.presets ?? []).map((name, index) => {
    const at = `network.presets[${index}]`;
    const preset = presets[name];
    if (preset === undefined) throw undefinedPreset(name, at);
    return { ...preset, targets: preset.targets.map((target) => ({ at: `${at} (${name})`, target })) };
  });
  return {
    targets: distinct([...named, ...expanded.flatMap(({ targets }) => targets)]),
    variables: Object.assign({}, ...expanded.map(({ variables }) => variables)) as Record<string, string>,
  };
}

function distinct(targets: readonly WantedTarget[]): WantedTarget[] {
  const byMeaning = new Map<string, WantedTarget>();
  for (const wanted of targets) {
    const meaning = JSON.stringify([wanted.target.pattern, wanted.target.ports]);
    if (!byMeaning.has(meaning)) byMeaning.set(meaning, wanted);
  }
  return [...byMeaning.values()];
}

function readTarget(text: string, at: string): WantedTarget {
  const target = parseTarget(text);
  if (typeof target === 'string')
    throw new NetworkRefused('invalid_target', `${at}: invalid_target: ${shown(text)} ${problemOf(text) ?? target}`);
  return { at, target };
}

/** What is wrong with a target that is written as the policy's other kinds are. */
function problemOf(text: string): string | undefined {
  if (/[/:]udp$|^udp:/i.test(text)) return 'is not possible; tcp only, as host:port';
  if (/^\[?[0-9a-f.:]+\]?\/\d{1,3}(:\d+)?$/i.test(text))
    return 'is a network; name hosts as host:port or *.suffix:port';
  return undefined;
}

function undefinedPreset(name: PresetName, at: string): NetworkRefused {
  return new NetworkRefused(
    'invalid_target',
    `${at}: nothing says which hosts ${name} means here; let sandgate network learn-presets find them, define it in the file ` +
      'of SERVICE_NETWORK_PRESETS, or name the hosts in network.targets',
  );
}

function readPresetName(name: string, index: number): PresetName {
  if (isPresetName(name)) return name;
  throw invalid(`network.presets[${index}]: ${unknownPreset(shown(name))}`);
}

function refuseOfOffline(members: Record<string, unknown[] | number | undefined>): void {
  for (const [member, value] of Object.entries(members)) {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    throw invalid(`network.${member}: offline reaches nothing; leave it out, or say "mode": "approved"`);
  }
}

function shown(text: string): string {
  return text
    .slice(0, MAX_SHOWN)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\u{fffd}');
}

function invalid(message: string): SandgateError {
  return new SandgateError('invalid_request', message);
}
