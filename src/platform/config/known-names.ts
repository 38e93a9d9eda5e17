import { nearestName } from '../../domain/nearest-name.js';
import { SECTIONS } from './sections.js';
import { settingsOf } from './setting.js';

/** Names that the interface defines, that this version does not use, and whose absence weakens no promise. */
const WITHOUT_EFFECT = [
  'SERVICE_PUBLIC_CONTROL_URL',
  'SERVICE_LLM_ADMIN_URL',
  'SERVICE_RUNTIME_ROLE',
  'SERVICE_KEEP_WORKSPACES',
  'SERVICE_WEB_MODE',
] as const;

/** Names that only other programs of Sandgate read; the server ignores them silently. */
const OF_OTHER_PROGRAMS = ['SERVICE_SUPERVISED', 'SERVICE_API_URL'] as const;

const USED: readonly string[] = Object.values(SECTIONS).flatMap((section) =>
  settingsOf(section).map((entry) => entry.variable),
);

const SUGGESTED = USED.filter((known) => known.startsWith('SERVICE_'));

/** One sentence for each `SERVICE_*` name of the environment that has no effect, with the nearest known name. */
export function warnAboutNames(env: NodeJS.ProcessEnv): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('SERVICE_'))
    .flatMap((name) => describeUnknown(name) ?? []);
}

function describeUnknown(name: string): string | undefined {
  const plain = name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : name;
  if ([...USED, ...OF_OTHER_PROGRAMS].some((known) => known === name || known === plain)) return undefined;
  if (WITHOUT_EFFECT.some((known) => known === name || known === plain)) {
    return `${name} is set but has no effect in this version`;
  }
  return `${name} is not known and has no effect; the nearest known name is ${nearestName(plain, SUGGESTED)}`;
}
