import { OUTPUT_FORMATS, type OutputFormat } from '../terminal/output.js';

/** Every setting of the client with its type. */
export interface Settings {
  'defaults.api_url': string;
  'defaults.project': string | null;
  'defaults.output': OutputFormat;
  'upload.concurrency': number;
  'upload.retry_attempts': number;
  'runs.poll_interval': number;
  'runs.timeout': number;
}

export type SettingKey = keyof Settings;

/** How one setting is read, from a file or from text. */
interface Setting<K extends SettingKey> {
  default: Settings[K];
  /** The flag that sets it, as commander names its value. */
  flag: string;
  /** @returns undefined for what it cannot be */
  read(value: unknown): Settings[K] | undefined;
  /** What it can be, for the refusal. */
  takes: string;
}

export const SETTINGS: { readonly [K in SettingKey]: Setting<K> } = {
  'defaults.api_url': {
    default: 'http://127.0.0.1:8790',
    flag: 'apiUrl',
    read: readUrl,
    takes: 'an http or https address',
  },
  'defaults.project': {
    default: null,
    flag: 'project',
    read: (value) => (typeof value === 'string' && value !== '' ? value : undefined),
    takes: 'the id of a project',
  },
  'defaults.output': {
    default: 'table',
    flag: 'output',
    read: (value) => OUTPUT_FORMATS.find((format) => format === value),
    takes: OUTPUT_FORMATS.join(', '),
  },
  'upload.concurrency': { default: 4, flag: 'concurrency', read: whole(1, 64), takes: 'a whole number from 1 to 64' },
  'upload.retry_attempts': {
    default: 3,
    flag: 'retryAttempts',
    read: whole(0, 100),
    takes: 'a whole number from 0 to 100',
  },
  'runs.poll_interval': {
    default: 2,
    flag: 'pollInterval',
    read: seconds(0.05, 3_600),
    takes: 'seconds, from 0.05 to 3600',
  },
  'runs.timeout': { default: 600, flag: 'timeout', read: seconds(0, 604_800), takes: 'seconds, from 0 to 604800' },
};

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

/** `upload.retry_attempts` is `DOCSVC_UPLOAD_RETRY_ATTEMPTS` in the environment. */
export function variableOf(key: SettingKey): string {
  return `DOCSVC_${key.replaceAll('.', '_').toUpperCase()}`;
}

export function isSettingKey(text: string): text is SettingKey {
  return Object.hasOwn(SETTINGS, text);
}

function readUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { protocol, origin, pathname, username } = new URL(value);
  if (!['http:', 'https:'].includes(protocol) || username !== '') return undefined;
  return origin + pathname.replace(/\/+$/, '');
}

function whole(min: number, max: number): (value: unknown) => number | undefined {
  return (value) => {
    const number = numberOf(value);
    return number !== undefined && Number.isInteger(number) && number >= min && number <= max ? number : undefined;
  };
}

function seconds(min: number, max: number): (value: unknown) => number | undefined {
  return (value) => {
    const number = numberOf(value);
    return number !== undefined && number >= min && number <= max ? number : undefined;
  };
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
}
