import type { ExactJson, ExactObject } from '../digest/exact-json.js';
import { isExactObject, isRawNumber } from '../digest/exact-json.js';
import { nearestName } from '../nearest-name.js';

const MAX_TEXT_BYTES = 1024;
const MAX_KEY_SHOWN = 80;

/**
 * Reads typed members out of an untrusted document and collects one message per fault. Every read answers a usable value, so one
 * pass finds all faults. Strict reading refuses unknown keys and applies bounds; lenient reading does neither (docs/design/policy.md).
 */
export class DocumentReader {
  readonly errors: string[] = [];
  private expansion = 0;

  constructor(readonly strict: boolean) {}

  fail(message: string): void {
    this.errors.push(message);
  }

  /** Counts steps that patterns of the document expand to; answers the sum so far. */
  addExpansion(steps: number): number {
    this.expansion += steps;
    return this.expansion;
  }

  /** The value as an object; `keys` are those that it may have. */
  object(value: ExactJson | undefined, at: string, keys: readonly string[]): ExactObject | null {
    if (value === undefined) return null;
    if (!isExactObject(value)) {
      this.fail(`${at === '' ? 'the policy' : `\`${at}\``} must be an object`);
      return null;
    }
    if (this.strict) {
      for (const key of Object.keys(value)) {
        if (!keys.includes(key)) this.fail(describeUnknown(key, at, keys));
      }
    }
    return value;
  }

  text(value: ExactJson | undefined, at: string): string | null {
    if (value === undefined) return null;
    if (typeof value !== 'string') {
      this.fail(`\`${at}\` must be a string`);
      return null;
    }
    this.boundText(value, at);
    return value;
  }

  boolean(value: ExactJson | undefined, at: string, fallback: boolean): boolean {
    if (value === undefined) return fallback;
    if (typeof value === 'boolean') return value;
    this.fail(`\`${at}\` must be true or false`);
    return fallback;
  }

  /** An integer written as one: 600.0 is refused. */
  integer(value: ExactJson | undefined, at: string, minimum: number | null = null): number | null {
    if (value === undefined) return null;
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
      this.fail(`\`${at}\` must be an integer`);
      return null;
    }
    if (minimum !== null && value < minimum) this.fail(`\`${at}\` must be at least ${minimum}`);
    return value;
  }

  number(value: ExactJson | undefined, at: string): number | null {
    if (value === undefined) return null;
    const number = isRawNumber(value) ? Number(value.rawJSON) : value;
    if (typeof number === 'number' && Number.isFinite(number)) return number;
    this.fail(`\`${at}\` must be a number`);
    return null;
  }

  choice<T extends string>(value: ExactJson | undefined, at: string, choices: readonly T[]): T | null {
    if (value === undefined) return null;
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    const given = typeof value === 'string' ? `, not \`${value.slice(0, 40).toWellFormed()}\`` : '';
    this.fail(`\`${at}\` must be one of ${choices.join(', ')}${given}`);
    return null;
  }

  array(value: ExactJson | undefined, at: string, what: string, limit: number): ExactJson[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.fail(`\`${at}\` must be an array of ${what}`);
      return [];
    }
    if (this.strict && value.length > limit) {
      this.fail(`\`${at}\` has ${value.length} ${what}, more than the limit of ${limit}`);
      return [];
    }
    return value;
  }

  texts(value: ExactJson | undefined, at: string, what: string, limit: number): string[] {
    return this.array(value, at, what, limit).map((item, i) => {
      if (typeof item === 'string') {
        this.boundText(item, `${at}[${i}]`, what);
        return item;
      }
      this.fail(`\`${at}[${i}]\` must be a string`);
      return '';
    });
  }

  private boundText(text: string, at: string, what = 'text'): void {
    if (this.strict && (text.includes('\0') || !text.isWellFormed())) {
      this.fail(`\`${at}\` must not contain U+0000 or half a character`);
    }
    if (this.strict && Buffer.byteLength(text) > MAX_TEXT_BYTES) {
      this.fail(`\`${at}\` (${what}) is longer than the limit of ${MAX_TEXT_BYTES} bytes`);
    }
  }
}

function describeUnknown(key: string, at: string, keys: readonly string[]): string {
  const place = at === '' ? 'the document' : `\`${at}\``;
  return `unknown key \`${key.slice(0, MAX_KEY_SHOWN).toWellFormed()}\` in ${place}; did you mean \`${nearestName(key, keys)}\`?`;
}
