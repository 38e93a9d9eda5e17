import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CANONICAL_TOOLS, SUB_EXECUTION_TOOLS } from '../tools/vocabulary.js';
import { canonicalPolicy } from './canonical-form.js';
import type { CompiledPolicy } from './compile-policy.js';
import { compilePolicy } from './compile-policy.js';
import type { PolicyDocument } from './document.js';
import { evaluate } from './evaluate.js';
import { parsePolicyYaml } from './policy-yaml.js';

const NAMES = ['default', 'standard', 'governed', 'unrestricted'] as const;

function read(name: string): PolicyDocument {
  return parsePolicyYaml(readFileSync(new URL(`../../../policies/${name}.yaml`, import.meta.url), 'utf8'));
}

function compiled(name: string): CompiledPolicy {
  return compilePolicy(canonicalPolicy(read(name)));
}

function bash(name: string, command: string): string {
  return evaluate(compiled(name), { tool: 'Bash', input: { command } }, 'supervised').verdict;
}

describe('seeded policies', () => {
  it.each(NAMES)('%s parses strictly under its own name', (name) => {
    expect(read(name).name).toBe(name);
  });

  it('have the facts of the table', () => {
    const facts = NAMES.map((name) => {
      const { defaults, budgets, approvals, autonomy, egress, network } = read(name);
      return [
        defaults.tool_action,
        [budgets.max_wall_clock_secs, budgets.max_tokens, budgets.max_cost_usd, budgets.max_tool_calls],
        [approvals.default_ttl_secs, approvals.scope],
        [autonomy.permitted, autonomy.on_approval_rule],
        egress.mode,
        [network.max_mode, network.require_approval, network.allow_public_with_brokered],
      ];
    });
    expect(facts).toEqual([
      ['approve', [1800, 1_000_000, 2.5, 100], [600, 'once'], [true, 'deny'], 'proxy-only', ['offline', false, false]],
      ['approve', [3600, 2_000_000, 5, 200], [600, 'once'], [true, 'deny'], 'proxy-only', ['approved', true, false]],
      ['deny', [900, 300_000, 1, 40], [300, 'once'], [false, 'deny'], 'proxy-only', ['offline', false, false]],
      ['allow', [7200, null, 25, null], [600, 'session'], [true, 'allow'], 'proxy-only', ['public', false, true]],
    ]);
  });

  it('share their rules between default and standard', () => {
    expect(read('standard').tools).toEqual(read('default').tools);
  });

  it('leave the network out of the stored form only where it is the default', () => {
    expect(NAMES.map((name) => 'network' in canonicalPolicy(read(name)))).toEqual([false, true, false, true]);
  });

  it('give every canonical tool an explicit rule in default', () => {
    const policy = compiled('default');
    expect(CANONICAL_TOOLS.filter(({ name }) => policy.index.firstRule(name) === null)).toEqual([]);
  });

  it.each(['default', 'standard', 'governed'])('%s denies all tools of the sub-execution class', (name) => {
    const policy = compiled(name);
    const verdicts = SUB_EXECUTION_TOOLS.map((tool) => evaluate(policy, { tool, input: {} }, 'supervised').verdict);
    expect(new Set(verdicts)).toEqual(new Set(['deny']));
  });

  it('keeps the anchors of default', () => {
    const policy = compiled('default');
    const verdict = (tool: string): string => evaluate(policy, { tool, input: {} }, 'supervised').verdict;
    expect([verdict('Read'), verdict('WebFetch'), verdict('NoSuchTool')]).toEqual([
      'allow',
      'deny',
      'require_approval',
    ]);
    expect(['git push origin main', 'git status', 'pip install requests'].map((line) => bash('default', line))).toEqual(
      ['require_approval', 'allow', 'require_approval'],
    );
  });

  it.each([
    ['rm -rf /', 'deny'],
    ['rm -r -f /', 'deny'],
    ['rm -f -r /*', 'deny'],
    ['rm --recursive /', 'deny'],
    ['rm / -rf', 'deny'],
    ['rm -rf /;ls', 'deny'],
    ['rm -rf ./build && ls /', 'require_approval'],
    ['rm -rf /workspace', 'require_approval'],
    ['rm -f /', 'require_approval'],
    ['git push --force-with-lease', 'deny'],
    ['git push origin -f', 'deny'],
    ['git push origin main-f', 'require_approval'],
    ['chmod 777 x', 'deny'],
    ['chmod 0777 x', 'require_approval'],
    ['echo ncurses', 'allow'],
    ['npm run tests', 'require_approval'],
    ['npm run test -- a', 'allow'],
    ['pip install -r requirements.txt', 'allow'],
    ['cd src && pytest -q', 'allow'],
  ])('default judges `%s`: %s', (command, expected) => {
    expect(bash('default', command)).toBe(expected);
  });

  it.each([
    ['git log --oneline', 'allow'],
    ['git show', 'deny'],
    ['find . -name x -exec cat {} +', 'deny'],
    ['find . -fprint0 out', 'deny'],
    ['cat a > b', 'deny'],
    ['echo `id`', 'deny'],
    ['ls $(id)', 'deny'],
    ['cat a\nrm b', 'deny'],
  ])('governed judges `%s`: %s', (command, expected) => {
    expect(bash('governed', command)).toBe(expected);
  });
});
