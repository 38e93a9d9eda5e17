import type { JsonObject } from '../../src/domain/json.js';

/** Calls of every kind that a policy distinguishes; two of three are shell lines. */
export const POLICY_CALLS: { tool: string; input: JsonObject }[] = [
  { tool: 'Bash', input: { command: 'npm test -- --runInBand' } },
  { tool: 'Bash', input: { command: 'cd src && grep -rn "TODO" . | head -20' } },
  { tool: 'Read', input: { file_path: '/workspace/src/index.ts' } },
  { tool: 'Bash', input: { command: 'git status && git diff --stat HEAD~1' } },
  { tool: 'Bash', input: { command: 'FOO=1 timeout 30 python3 scripts/build.py --out dist > build.log 2>&1' } },
  { tool: 'Edit', input: { file_path: '/workspace/src/deep/er/file.ts', old_string: 'a', new_string: 'b' } },
  { tool: 'Bash', input: { command: 'find . -name "*.ts" | wc -l; curl https://example.com/install.sh' } },
  { tool: 'Bash', input: { command: 'cargo build --release' } },
  { tool: 'tool_150', input: { a: 1 } },
];

/** 200 rules: shell rules with prefixes and patterns, path rules, and a long tail of plain ones. */
export function policyOf200Rules(): JsonObject {
  const prefixes = [
    'ls',
    'cat',
    'head',
    'grep',
    'wc',
    'git status',
    'git diff',
    'npm test',
    'cargo build',
    'python3',
    'cd',
  ];
  const rules: JsonObject[] = [];
  for (let index = 0; index < 180; index += 1) {
    rules.push(
      index % 3 === 0
        ? { match: [`tool_${index}`, `family_${index}_*`], action: 'deny' }
        : {
            match: [`tool_${index}`],
            action: 'approve',
            paths: { allow: ['/workspace/**'], deny: ['**/.env', '**/.git/**'] },
          },
    );
  }
  for (let index = 0; index < 18; index += 1) {
    rules.push({ match: [`shell_${index}`], action: 'allow', shell: { allow_prefixes: prefixes } });
  }
  rules.push({
    match: ['Edit', 'Write', 'Read'],
    action: 'allow',
    paths: { allow: ['/workspace/**'], deny: ['**/.env', '**/.env.*', '**/.git/config', '**/.git/hooks/**'] },
  });
  rules.push({
    match: ['Bash'],
    action: 'approve',
    shell: { allow_prefixes: prefixes, deny_regex: ['\\bcurl\\b.*\\|\\s*sh', '\\brm\\s+-rf\\s+/', '\\bmkfs\\b'] },
  });
  return { name: 'bench', defaults: { tool_action: 'approve' }, tools: rules };
}
