import { describe, expect, it } from '@jest/globals';
import { parseCaseFile } from './case-file.js';
import { compilePolicy } from './compile-policy.js';
import { runCases } from './run-cases.js';

const POLICY = compilePolicy({
  name: 'careful',
  tools: [
    { match: ['Bash'], action: 'allow', shell: { allow_prefixes: ['ls'], deny_regex: ['\\bcurl\\b'] } },
    { match: ['Read'], action: 'allow' },
  ],
});

const problem = (text: string): string => {
  try {
    parseCaseFile(text);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
};

describe('files of policy cases', () => {
  it('reads verdicts in short and in full, inputs by command, path or whole, and both modes', () => {
    const { policy, cases } = parseCaseFile(`
policy: careful.yaml
cases:
  - {tool: Bash, command: ls, expect: allow}
  - {name: asks, tool: Bash, mode: autonomous, input: {command: make, cwd: /tmp}, expect: {verdict: ask, reason: covers, rule: 0, key: null}}
  - {tool: Read, path: /etc/hosts, expect: require_approval}
  - {tool: Bash, command: a, expect: {verdict: deny, rule: null}}
`);
    expect(policy).toBe('careful.yaml');
    expect(cases).toEqual([
      {
        name: 'case 1',
        tool: 'Bash',
        input: { command: 'ls' },
        mode: 'supervised',
        expect: { verdict: 'allow', reason: null, rule: undefined, key: undefined },
      },
      {
        name: 'asks',
        tool: 'Bash',
        input: { command: 'make', cwd: '/tmp' },
        mode: 'autonomous',
        expect: { verdict: 'require_approval', reason: 'covers', rule: 0, key: null },
      },
      {
        name: 'case 3',
        tool: 'Read',
        input: { file_path: '/etc/hosts' },
        mode: 'supervised',
        expect: { verdict: 'require_approval', reason: null, rule: undefined, key: undefined },
      },
      {
        name: 'case 4',
        tool: 'Bash',
        input: { command: 'a' },
        mode: 'supervised',
        expect: { verdict: 'deny', reason: null, rule: null, key: undefined },
      },
    ]);
  });

  it.each([
    ['cases: []', '`policy` is required'],
    ['policy: p\ncases: []', 'at least one case'],
    ['policy: p\ncases: [{tool: Bash}]', '`cases[0].expect` is required'],
    ['policy: p\ncases: [{expect: allow}]', '`cases[0].tool` is required'],
    ['policy: p\ncases: [{tool: Bash, expect: maybe}]', '`cases[0].expect` must be one of'],
    ['policy: p\ncases: [{tool: Bash, expect: {reason: x}}]', '`cases[0].expect.verdict` is required'],
    ['policy: p\ncases: [{tool: Bash, expect: allow, verdict: allow}]', 'unknown key `verdict`'],
    ['policy: p\ncases: [{tool: Bash, command: a, path: b, expect: allow}]', 'one of input, command, path'],
    ['policy: p\ncases: [{tool: Bash, command: [a], expect: allow}]', '`cases[0].command` must be a string'],
    ['policy: p\ncases: [{tool: Bash, mode: night, expect: allow}]', '`cases[0].mode` must be one of'],
    ['policy: [', 'YAML'],
  ])('refuses %j naming the fault', (text, message) => {
    expect(problem(text)).toContain(message);
  });

  it('compares verdict, reason, rule and key, and says what differs', () => {
    const { cases } = parseCaseFile(`
policy: careful
cases:
  - {name: holds, tool: Bash, command: make, expect: {verdict: ask, reason: no allow prefix, rule: 0, key: make}}
  - {name: verdict, tool: Bash, command: make, expect: allow}
  - {name: reason, tool: Bash, command: curl x, expect: {verdict: deny, reason: money}}
  - {name: rule, tool: Read, path: a, expect: {verdict: allow, rule: 0}}
  - {name: key, tool: Bash, command: eval x, expect: {verdict: ask, key: eval}}
`);
    expect(runCases(POLICY, cases).map(({ name, mismatches }) => [name, mismatches])).toEqual([
      ['holds', []],
      ['verdict', ['expected allow, got require_approval']],
      ['reason', [expect.stringMatching(/^the reason does not hold "money": the command matches/)]],
      ['rule', ['expected rule 0, got 1']],
      ['key', ['expected key eval, got none']],
    ]);
  });
});
