import fc from 'fast-check';
import { anyCharacter } from '../random/any-character.js';
import type { ExactJson } from '../../../src/domain/digest/exact-json.js';
import type { PolicyDocument, PolicyRule } from '../../../src/domain/policy/document.js';
import { blankPolicy } from '../../../src/domain/policy/document.js';
import { gluedLine, wellFormedScript } from '../shell/bash-scripts.js';
import { EVERYDAY_TOOLS } from '../tools/tool-names.js';

const TOOLS = [
  ...EVERYDAY_TOOLS,
  'WebFetch',
  'mcp__kb__find',
  'mcp__a__b',
  '__proto__',
  'constructor',
  '',
];
const MATCHERS = [...TOOLS, '*', 'mcp__*', 'Ba*', 'fo*o'];
const PREFIXES = [
  'ls',
  'cat',
  'git status',
  'git push',
  'git',
  'npm run ',
  'env | grep',
  'echo',
  'sort',
  'sed',
  'awk',
  'find',
  'xargs',
  'env',
  'bash',
  'timeout',
  'rm',
  '',
  ' ',
  '$(',
  'a; b',
  'cat | wc',
];
const PATTERNS = ['\\bcurl\\b', '^rm\\s', '/etc/passwd', '(?i)secret', '[;&|]', '.', 'x{1,3}', '^$'];
const GLOBS = [
  '/workspace/**',
  '**/.env',
  '**',
  '*',
  'src/**',
  '/workspace/*.ts',
  '**/*.pem',
  '/etc/{a,b}/**',
  '[a-z]',
  '/workspace/../etc/**',
  '?',
];
const PATHS = [
  '/workspace/a.ts',
  'src/a.ts',
  '/workspace/../etc/x',
  '~/x',
  '$HOME/x',
  '.env',
  '/etc/passwd',
  '',
  '/',
  '.',
  '..',
  'a/../../b',
  '/workspace/.env/',
  'x.pem',
  '//workspace//a',
];

const action = fc.constantFrom<PolicyRule['action'][]>('allow', 'approve', 'deny');
const autonomous = fc.constantFrom<('allow' | 'deny')[]>('allow', 'deny');
const several = (values: readonly string[], most = 4): fc.Arbitrary<string[]> =>
  fc.array(fc.constantFrom(...values), { maxLength: most });

export const anyRule: fc.Arbitrary<PolicyRule> = fc.record({
  match: fc.array(fc.constantFrom(...MATCHERS), { minLength: 1, maxLength: 3 }),
  action,
  risk: fc.option(fc.string({ maxLength: 20 })),
  paths: fc.option(fc.record({ allow: several(GLOBS, 2), deny: several(GLOBS, 2) })),
  shell: fc.option(
    fc.record({ allow_prefixes: several(PREFIXES), deny_regex: several(PATTERNS, 2), on_no_match: action }),
    { freq: 2 },
  ),
  on_autonomous: fc.option(autonomous),
  approval_ttl_secs: fc.option(fc.nat(900)),
  approval_scope: fc.option(fc.constantFrom('once' as const, 'session' as const)),
});

export const anyPolicy: fc.Arbitrary<PolicyDocument> = fc
  .record({ tools: fc.array(anyRule, { maxLength: 6 }), tool_action: action, on_approval_rule: autonomous })
  .map(({ tools, tool_action, on_approval_rule }) => ({
    ...blankPolicy('generated'),
    defaults: { tool_action },
    autonomy: { permitted: true, on_approval_rule },
    tools,
  }));

const anyCommand = fc.oneof(
  fc.constantFrom(
    'ls',
    'cat a',
    'git push origin',
    'git status',
    'rm x',
    'curl h',
    'env | grep x',
    'FOO=1 ls',
    'sort -o /etc/x',
    'eval ls',
    '$x',
    'ls > .env',
    'cat < x.pem',
  ),
  gluedLine,
  wellFormedScript,
  fc.string({ unit: anyCharacter }),
);
const anyPath = fc.oneof(fc.constantFrom(...PATHS), fc.string({ unit: anyCharacter }));

export const anyCall: fc.Arbitrary<{ tool: string; input: ExactJson }> = fc.record({
  tool: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...TOOLS) }, { weight: 1, arbitrary: fc.string() }),
  input: fc.oneof(
    { weight: 5, arbitrary: fc.record({ command: anyCommand, cwd: anyPath }, { requiredKeys: [] }) },
    {
      weight: 3,
      arbitrary: fc.record(
        { file_path: anyPath, path: anyPath, edits: fc.array(fc.record({ file_path: anyPath })) },
        { requiredKeys: [] },
      ),
    },
    { weight: 1, arbitrary: fc.jsonValue() as fc.Arbitrary<ExactJson> },
  ),
});
