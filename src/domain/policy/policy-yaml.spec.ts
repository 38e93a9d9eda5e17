import { describe, expect, it } from '@jest/globals';
import { cpuClock } from '../../../test/support/time/cpu-clock.js';
import { parsePolicyYaml, yamlToJson } from './policy-yaml.js';

describe('YAML', () => {
  it('reads YAML 1.2 scalars: yes and off are strings', () => {
    expect(yamlToJson('[yes, no, on, off, true, 1, 1.5, ~, 0x1f]')).toEqual([
      'yes',
      'no',
      'on',
      'off',
      true,
      1,
      1.5,
      null,
      31,
    ]);
    expect(() => parsePolicyYaml('name: x\nautonomy: {permitted: yes}')).toThrow('must be true or false');
  });

  it('resolves aliases and leaves merge keys to the parser, which refuses them', () => {
    expect(yamlToJson('a: &x [1]\nb: *x')).toEqual({ a: [1], b: [1] });
    expect(() => parsePolicyYaml('name: x\ndefaults: &d {tool_action: allow}\nautonomy: {<<: *d}')).toThrow('`<<`');
  });

  it.each([
    ['several documents', 'name: x\n---\nname: y', 'several documents'],
    ['no document', '', 'no document'],
    ['a number as a key', '1: a', 'must be a string'],
    ['a repeated key', 'a: 1\na: 2', 'the key `a` stands twice'],
    ['a repeated key of an inner map, spelled in two ways', 'a: {"b": 1, b: 2}', 'the key `b` stands twice'],
    ['a list as a key', '? [a]\n: b', 'must be a string'],
    ['not a number', 'a: .nan', 'not a JSON value'],
    ['bad syntax', 'a: [', 'invalid YAML'],
    ['an unknown alias', 'a: *x', 'invalid YAML'],
  ])('refuses %s', (_what, text, message) => {
    expect(() => yamlToJson(text)).toThrow(message);
  });

  it('bounds what aliases may become', () => {
    const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 9; i++)
      bomb.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    const spentMs = cpuClock();
    expect(() => yamlToJson(bomb.join('\n'))).toThrow('nodes');
    expect(() => yamlToJson('a: &a [*a]')).toThrow('invalid YAML');
    expect(spentMs()).toBeLessThan(3000);
  });

  it.each([
    ['values of one list', `name: x\ntools: [${'a,'.repeat(500_000)}]`, 'tokens'],
    ['keys of one map', `x: {${Array.from({ length: 14_000 }, (_, key) => `k${key}: 1,`).join('')}}`, 'unknown key'],
  ])('reads a text of very many %s without holding up the gate', (_what, text, message) => {
    const spentMs = cpuClock();
    expect(() => parsePolicyYaml(text)).toThrow(message);
    expect(spentMs()).toBeLessThan(3000);
  });

  it('keeps how numbers were written', () => {
    expect(() => parsePolicyYaml('name: x\nbudgets: {max_tokens: 600.0}')).toThrow('must be an integer');
    expect(parsePolicyYaml('name: x\nbudgets: {max_cost_usd: 5.0}').budgets.max_cost_usd).toBe(5);
  });
});
