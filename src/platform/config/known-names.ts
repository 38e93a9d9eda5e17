import { nearestName } from '../../domain/nearest-name.js';
import type { Sections } from './read-sections.js';
import { settingsOf } from './setting.js';

/** The names of one product's settings. */
export interface NamesOfProduct {
  /** Begins every name that is the product's own. */
  readonly prefix: string;
  readonly sections: Sections;
  /** Names that the interface defines, that this version does not use, and whose absence weakens no promise. */
  readonly withoutEffect: readonly string[];
  /** Names that only other programs of the product read; this one ignores them silently. */
  readonly ofOtherPrograms: readonly string[];
}

/** One sentence for each name of the product in the environment that has no effect, with the nearest known name. */
export function warnAboutNames(env: NodeJS.ProcessEnv, names: NamesOfProduct): string[] {
  const used = Object.values(names.sections).flatMap((section) => settingsOf(section).map(({ variable }) => variable));
  return Object.keys(env)
    .filter((name) => name.startsWith(names.prefix))
    .flatMap((name) => describeUnknown(name, used, names) ?? []);
}

function describeUnknown(name: string, used: readonly string[], names: NamesOfProduct): string | undefined {
  const plain = name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : name;
  if ([...used, ...names.ofOtherPrograms].some((known) => known === name || known === plain)) return undefined;
  if (names.withoutEffect.some((known) => known === name || known === plain)) {
    return `${name} is set but has no effect in this version`;
  }
  const suggested = used.filter((known) => known.startsWith(names.prefix));
  return `${name} is not known and has no effect; the nearest known name is ${nearestName(plain, suggested)}`;
}
