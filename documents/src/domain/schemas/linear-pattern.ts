import { SCHEMA_LIMITS } from './schema-limits.js';

/** What only a backtracking search can match: a look around, or a reference back. */
const NOT_LINEAR = /\\[1-9]|\\k<|\(\?<?[=!]/;
const ESCAPED_BACKSLASH = /\\\\/g;

/**
 * Why a pattern cannot be used; null for a good one. Patterns are matched in time that grows with the text alone, so they have neither looks
 * around nor references back.
 */
export function faultOfPattern(pattern: string): string | null {
  if (pattern.length > SCHEMA_LIMITS.patternCharacters) {
    return `is longer than ${SCHEMA_LIMITS.patternCharacters} characters`;
  }
  if (NOT_LINEAR.test(pattern.replaceAll(ESCAPED_BACKSLASH, ''))) {
    return 'has a look around or a reference back, which cannot be matched in linear time';
  }
  try {
    return new RegExp(pattern, 'u') instanceof RegExp ? null : 'is no regular expression';
  } catch (error) {
    if (error instanceof SyntaxError) return `is no regular expression: ${error.message}`;
    throw error;
  }
}
