import { DocsvcError, invalidMembers, type ErrorDetail } from './errors.js';
import { isJsonObject, type JsonValue } from '../../../src/domain/json.js';

/** How documents of a project are read and kept. */
export interface ProjectSettings {
  /** Of runs of extraction that name none. */
  defaultEngine: 'auto' | 'local' | 'llm' | 'hybrid';
  ocrMode: 'auto' | 'fast' | 'accurate' | 'off';
  /** Names of Tesseract's languages. */
  ocrLanguages: string[];
  /** Days that documents are kept; null: until they are deleted. */
  retentionDays: number | null;
  /** A language tag (BCP 47) for dates and numbers. */
  locale: string;
}

export const DEFAULT_SETTINGS: Readonly<ProjectSettings> = {
  defaultEngine: 'auto',
  ocrMode: 'auto',
  ocrLanguages: ['eng'],
  retentionDays: null,
  locale: 'en',
};

export const ENGINES = ['auto', 'local', 'llm', 'hybrid'] as const;
export const OCR_MODES = ['auto', 'fast', 'accurate', 'off'] as const;
const MAX_LANGUAGES = 4;
const MAX_RETENTION_DAYS = 36_500;
const LANGUAGE = /^[a-z]{3}(_[a-z]{3,4})?$/;

/** The fault of a member's value, in words that follow its path; null for a good one. */
const FAULT_OF: { readonly [M in keyof ProjectSettings]: (value: JsonValue) => string | null } = {
  defaultEngine: (value) => oneOf(ENGINES, value),
  ocrMode: (value) => oneOf(OCR_MODES, value),
  ocrLanguages: faultOfLanguages,
  retentionDays: (value) =>
    value === null || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_RETENTION_DAYS)
      ? null
      : `must be null or a whole number from 1 to ${MAX_RETENTION_DAYS}`,
  locale: faultOfLocale,
};

/**
 * The settings of a project with those that were sent in place of the old ones.
 *
 * @throws DocsvcError `invalid_request` naming every member that is unknown or malformed; `not_implemented` for OCR of a later release
 */
export function changeSettings(before: ProjectSettings, sent: JsonValue): ProjectSettings {
  if (!isJsonObject(sent)) throw invalidMembers([detail('settings', 'invalid', 'must be an object')]);
  const faults = Object.entries(sent).flatMap(([name, value]) => {
    if (!Object.hasOwn(FAULT_OF, name))
      return [detail(`settings.${name}`, 'unknown_member', 'is not a setting of a project')];
    const fault = FAULT_OF[name as keyof ProjectSettings](value);
    return fault === null ? [] : [detail(`settings.${name}`, 'invalid', fault)];
  });
  if (faults.length > 0) throw invalidMembers(faults);
  if (sent['ocrMode'] === 'accurate')
    throw new DocsvcError(
      'not_implemented',
      'settings.ocrMode: accurate OCR comes with a later release; use auto or fast',
    );
  return { ...before, ...(sent as Partial<ProjectSettings>) };
}

function oneOf(names: readonly string[], value: JsonValue): string | null {
  return typeof value === 'string' && names.includes(value) ? null : `must be one of ${names.join(', ')}`;
}

function faultOfLanguages(value: JsonValue): string | null {
  const good =
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= MAX_LANGUAGES &&
    new Set(value).size === value.length &&
    value.every((one) => typeof one === 'string' && LANGUAGE.test(one));
  return good ? null : `must be 1 to ${MAX_LANGUAGES} different names of languages as Tesseract has them, such as eng`;
}

function faultOfLocale(value: JsonValue): string | null {
  const fault = 'must be a language tag such as en or de-CH';
  if (typeof value !== 'string' || value.length > 35) return fault;
  try {
    Intl.getCanonicalLocales(value);
    return null;
  } catch (error) {
    if (error instanceof RangeError) return fault;
    throw error;
  }
}

function detail(path: string, code: string, message: string): ErrorDetail {
  return { path, code, message };
}
