import type { Reader } from './readers.js';

/** One setting: where it comes from, what it means, and its default. */
export interface SettingOptions<T> {
  /** The variable; `<variable>_FILE` names a file that holds the value instead. */
  readonly variable: string;
  readonly read: Reader<T>;
  readonly default: T | null | (() => T);
  /** How the default is written in the documentation, when it is not the value itself. */
  readonly defaultText?: string;
  readonly about: string;
  /** Printed as a digest only. */
  readonly secret?: boolean;
}

export interface SettingEntry extends SettingOptions<unknown> {
  readonly member: string;
}

export type SectionClass<T extends object = object> = new () => T;

const settingsOfSection = new Map<object, SettingEntry[]>();

/** Declares a member of a configuration section; its type must be what the reader gives (or null by default). */
export function setting<T>(options: SettingOptions<T>) {
  return <K extends string, S extends { readonly [P in K]: T | null }>(section: S, member: K): void => {
    const known = settingsOfSection.get(section.constructor) ?? [];
    known.push({ ...(options as SettingOptions<unknown>), member });
    settingsOfSection.set(section.constructor, known);
  };
}

export function settingsOf(section: SectionClass): readonly SettingEntry[] {
  return settingsOfSection.get(section) ?? [];
}
