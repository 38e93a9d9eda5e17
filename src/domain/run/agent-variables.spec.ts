import { describe, expect, it } from '@jest/globals';
import { parseAgentVariables } from './agent-variables.js';

describe('variables of an agent', () => {
  it('are kept as they are given', () => {
    const variables = {
      TZ: 'UTC',
      NODE_ENV: 'test',
      LC_ALL: 'C',
      GIT_AUTHOR_NAME: 'Bot',
      TOKEN_LIMIT: '4096',
      empty: '',
    };
    expect(parseAgentVariables(variables)).toEqual(variables);
  });

  it.each([
    'PATH',
    'path',
    'HOME',
    'LD_PRELOAD',
    'NODE_OPTIONS',
    'SERVICE_TASK',
    'ANTHROPIC_API_KEY',
    'BASH_ENV',
    'BASH_FUNC_ls',
    'GIT_SSH_COMMAND',
    'IFS',
    'PYTHONSTARTUP',
    'SANDGATE_X',
  ])('%s is reserved', (name) => {
    expect(() => parseAgentVariables({ [name]: 'x' })).toThrow(`env.${name}: is reserved`);
  });

  it.each([
    [{ '1A': 'x' }, 'env.1A: must be named with'],
    [{ 'A-B': 'x' }, 'env.A-B: must be named with'],
    [{ 'A=B': 'x' }, 'env.A=B: must be named with'],
    [{ ['A'.repeat(129)]: 'x' }, 'must be named with'],
    [{ A: 1 }, 'env.A: must be a string'],
    [{ A: 'x'.repeat(32_769) }, 'env.A: is 32769 bytes'],
    [Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`A${i}`, ''])), 'env: must not have more than 64'],
    [
      Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`A${i}`, 'x'.repeat(30_000)])),
      'in all, more than 131072',
    ],
    [[], 'env: must be an object'],
  ])('%# refuses what is malformed or too large, naming the variable', (value, message) => {
    expect(() => parseAgentVariables(value)).toThrow(message);
  });

  it.each([
    ['X', `ghp_${'a'.repeat(36)}`],
    ['X', `sk-ant-${'a'.repeat(20)}`],
    ['DATABASE', 'postgres://me:hunter2@db/app'],
    ['NPM_TOKEN', 'abcdefgh'],
    ['DB_PASSWORD', 'correct horse'],
    ['MY_API_KEY', '0123456789'],
  ])('a value of %s that looks like a secret is refused without being repeated', (name, value) => {
    expect(() => parseAgentVariables({ [name]: value })).toThrow(`env.${name}: looks like a secret`);
    expect(() => parseAgentVariables({ [name]: value })).not.toThrow(value);
  });
});
