import { SECTIONS } from './sections.js';
import { settingsOf } from './setting.js';

/** Names that the interface defines, that this version does not use, and whose absence weakens no promise. */
const WITHOUT_EFFECT = [
  'SERVICE_PUBLIC_CONTROL_URL',
  'SERVICE_TRUST_FORWARDED_FOR',
  'SERVICE_CODEHOST_WEB_URL',
  'SERVICE_LLM_ADMIN_URL',
  'SERVICE_ALLOW_RLS_BYPASS',
  'SERVICE_RUNTIME_ROLE',
  'SERVICE_KEEP_WORKSPACES',
  'SERVICE_WEB_MODE',
  'SERVICE_API_URL',
] as const;

/** Names that only other programs of Sandgate read; the server passes over them in silence. */
const OF_OTHER_PROGRAMS = ['SERVICE_SUPERVISED'] as const;

const USED: readonly string[] = Object.values(SECTIONS).flatMap((section) =>
  settingsOf(section).map((entry) => entry.variable),
);

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
  return `${name} is not known and has no effect; the nearest known name is ${nearest(plain)}`;
}

function nearest(name: string): string {
  const candidates = USED.filter((known) => known.startsWith('SERVICE_'));
  const ranked = candidates.map((known) => ({ known, distance: editDistance(name, known) }));
  ranked.sort((left, right) => left.distance - right.distance);
  return ranked[0]?.known ?? 'SERVICE_BIND';
}

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next[j] = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution);
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
