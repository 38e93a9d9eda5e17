import { createHash } from 'node:crypto';
import type { ListenAddress } from './readers.js';
import type { Sections, SectionValues } from './read-sections.js';
import { settingsOf } from './setting.js';
import type { SectionClass, SettingEntry } from './setting.js';

export interface EffectiveSetting {
  readonly section: string;
  readonly variable: string;
  /** The value as it would be written in the environment; a secret shows as a digest, an unset one as an empty text. */
  readonly value: string;
  readonly source: 'default' | 'environment' | 'file';
}

/** What is in effect in a process with this environment; secrets as digests. */
export function describeSections<S extends Sections>(
  sections: S,
  config: SectionValues<S>,
  env: NodeJS.ProcessEnv,
): EffectiveSetting[] {
  return Object.entries(sections).flatMap(([section, type]) =>
    settingsOf(type).map((entry) => {
      const value = (config[section] as Record<string, unknown>)[entry.member];
      return { section, variable: entry.variable, value: show(entry, value), source: sourceOf(entry.variable, env) };
    }),
  );
}

/** A page with a table for each section. */
export function renderSections(sections: Sections, introduction: string): string {
  const parts = Object.entries(sections).map(([name, section]) => renderSection(name, section));
  return `${introduction}\n${parts.join('\n')}`;
}

function renderSection(name: string, section: SectionClass): string {
  const rows = settingsOf(section).map(
    (entry) =>
      `| \`${entry.variable}\` | ${cell(defaultText(entry))} | ${cell(entry.read.expects)} | ${cell(entry.about)} |`,
  );
  return [`## ${name}`, '', '| Variable | Default | Value | Meaning |', '| --- | --- | --- | --- |', ...rows, ''].join(
    '\n',
  );
}

function defaultText(entry: SettingEntry): string {
  if (entry.defaultText !== undefined) return entry.defaultText;
  return entry.default === null ? 'unset' : plain(entry.default);
}

function show(entry: SettingEntry, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (entry.secret !== true) return plain(value);
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(plain(value));
  return `sha256:${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}`;
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(':');
  if (value instanceof Map) return value.size === 0 ? 'none' : [...value.keys()].join(', ');
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'object' && value !== null && 'port' in value) return address(value as ListenAddress);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function address({ host, port }: ListenAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function sourceOf(variable: string, env: NodeJS.ProcessEnv): EffectiveSetting['source'] {
  if ((env[variable] ?? '') !== '') return 'environment';
  return (env[`${variable}_FILE`] ?? '') === '' ? 'default' : 'file';
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
