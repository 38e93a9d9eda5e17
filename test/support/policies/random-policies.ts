import type { ExactJson } from '../../../src/domain/digest/exact-json.js';
import { parseJsonPreservingNumbers } from '../../../src/domain/digest/parse-json.js';
import type { JsonObject } from '../../../src/domain/json.js';
import type { SeededRandom } from '../random/seeded-random.js';
import { EVERYDAY_TOOLS } from '../tools/tool-names.js';

const ACTIONS = ['allow', 'approve', 'deny'] as const;
const TOOLS = [
  ...EVERYDAY_TOOLS,
  'NotebookEdit',
  'Task',
  'mcp__kb__find',
  'Unknown',
];
const MATCHERS = [...TOOLS, '*', 'mcp__*', 'mcp__kb__*', 'Bash*', 'Multi*'];
const PREFIXES = [
  'ls',
  'cat',
  'git status',
  'git push',
  'npm test',
  'env | grep',
  'cd',
  'rm',
  'echo',
  'find',
  'timeout',
];
const PATTERNS = ['\\bcurl\\b', 'rm\\s+-rf', '/etc/passwd', '(?i)secret', '^git push.*--force', '>'];
const GLOBS = [
  '/workspace/**',
  '**/.env',
  '**/.git/**',
  'src/**',
  '/workspace/*.ts',
  '/etc/*',
  '**/[a-c]*',
  '/workspace/src/{a,b}/**',
];
const COMMANDS = [
  'ls -la',
  'cat README.md',
  'git status',
  'git push origin main --force',
  'npm test -- --watch',
  'rm -rf build',
  'curl http://x',
  'env | grep X',
  'echo $(id)',
  'cd src',
  'find . -exec rm {} +',
  'timeout 5 ls',
  'eval "$X"',
  'printf "%s" "a b" > out.txt',
  'cat < ~/.ssh/id',
  '"l"s',
  'for f in *; do cat "$f"; done',
];
const JOINS = ['; ', ' && ', ' | ', '\n', ' || '];
const PATHS = [
  '/workspace/a.ts',
  'src/a/b.ts',
  '.env',
  '/etc/passwd',
  '../x',
  '~/x',
  '/workspace/src/../../etc/hosts',
  'a/$HOME/b',
  '',
  'c',
];

function some<T>(random: SeededRandom, choices: readonly T[], most: number): T[] {
  return Array.from({ length: random.between(0, most) }, () => random.pick(choices));
}

function maybe<T>(random: SeededRandom, value: T): T | null {
  return random.next() < 0.3 ? value : null;
}

function randomRule(random: SeededRandom): JsonObject {
  const shell = {
    allow_prefixes: some(random, PREFIXES, 5),
    deny_regex: some(random, PATTERNS, 2),
    on_no_match: random.pick(ACTIONS),
  };
  return {
    match: [random.pick(MATCHERS), ...some(random, MATCHERS, 2)],
    action: random.pick(ACTIONS),
    risk: maybe(random, `risk ${random.between(1, 9)}`),
    shell: random.next() < 0.4 ? shell : null,
    paths: random.next() < 0.4 ? { allow: some(random, GLOBS, 3), deny: some(random, GLOBS, 2) } : null,
    on_autonomous: maybe(random, random.pick(['allow', 'deny'])),
    approval_ttl_secs: maybe(random, random.between(0, 900)),
    approval_scope: maybe(random, random.pick(['once', 'session'])),
  };
}

/** A policy that the strict parser takes, with rules of every kind. */
export function randomPolicy(random: SeededRandom, name: string): JsonObject {
  return {
    name,
    defaults: { tool_action: random.pick(ACTIONS) },
    autonomy: { on_approval_rule: random.pick(['allow', 'deny']) },
    tools: Array.from({ length: random.between(0, 6) }, () => randomRule(random)),
  };
}

function randomCommand(random: SeededRandom): string {
  const first = random.pick(COMMANDS);
  return random.next() < 0.5 ? first : `${first}${random.pick(JOINS)}${random.pick(COMMANDS)}`;
}

/** A call as a runner might send it: members that policy reads, of the right type and of others, beside some that it does not. */
export function randomCall(random: SeededRandom): { tool: string; input: ExactJson } {
  const odd = [null, 5, true, [], {}, ['ls'], { command: 'ls' }];
  const members: [string, () => unknown][] = [
    ['command', () => randomCommand(random)],
    ['cwd', () => random.pick(['/workspace/src', 'src', '/tmp', '~', '', '$X'])],
    ['file_path', () => random.pick(PATHS)],
    ['path', () => random.pick(PATHS)],
    ['notebook_path', () => random.pick(PATHS)],
    ['filePath', () => random.pick(PATHS)],
    ['edits', () => some(random, [...PATHS.map((path) => ({ file_path: path, new_string: 'x' })), 5, { op: 'x' }], 4)],
    ['content', () => 'x'.repeat(random.between(0, 50))],
    ['id', () => 123],
  ];
  const input = Object.fromEntries(
    members
      .filter(() => random.next() < 0.35)
      .map(([key, make]) => [key, random.next() < 0.1 ? random.pick(odd) : make()]),
  );
  const whole: unknown = random.next() < 0.05 ? random.pick(odd) : input;
  return { tool: random.pick(TOOLS), input: parseJsonPreservingNumbers(JSON.stringify(whole)) };
}
