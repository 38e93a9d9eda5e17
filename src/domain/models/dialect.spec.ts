import { describe, expect, it } from '@jest/globals';
import { dialectOf } from './dialect.js';

describe('the dialect of a run', () => {
  it.each([
    ['claude-agent-sdk', 'claude-haiku-4-5', 'anthropic'],
    ['codex', 'gpt-5.4-mini', 'openai-responses'],
    ['builtin', 'claude-opus-4-8', 'anthropic'],
    ['builtin', 'gpt-5.4', 'openai-chat'],
    ['builtin', 'qwen3-coder', 'openai-chat'],
    ['replay', 'none', null],
  ])('of %s with %s is %s', (harness, model, dialect) => {
    expect(dialectOf(harness, model)).toBe(dialect);
  });
});
