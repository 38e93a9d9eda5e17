import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { authorizationSecs } from '../network/grant-question.js';
import { DEFAULT_GRANT_SECS } from '../network/network-cap.js';
import { CANONICAL_TOOLS, isCanonicalTool } from '../tools/vocabulary.js';
import { canonicalPolicy } from './canonical-form.js';
import type { CompiledPolicy } from './compile-policy.js';
import { compilePolicy } from './compile-policy.js';
import type { PolicyDocument } from './document.js';
import { evaluate } from './evaluate.js';
import { parsePolicyYaml } from './policy-yaml.js';

const NAMES = ['default', 'standard', 'governed', 'unrestricted'] as const;
/** Tools whose nested calls may never reach the gate (docs/design/policy.md). */
const SUB_EXECUTION_TOOLS = ['Agent', 'Task', 'Workflow', 'Skill', 'TaskCreate'];

function read(name: string): PolicyDocument {
  return parsePolicyYaml(readFileSync(new URL(`../../../policies/${name}.yaml`, import.meta.url), 'utf8'));
}

function compiled(name: string): CompiledPolicy {
  return compilePolicy(canonicalPolicy(read(name)));
}

function bash(name: string, command: string): string {
  return evaluate(compiled(name), { tool: 'Bash', input: { command } }, 'supervised').verdict;
}

const EDIT_PATHS = { allow: ['/workspace/**'], deny: ['**/.env', '**/.env.*', '**/.git/config', '**/.git/hooks/**'] };

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

  it('grant a network for as long as a run of theirs may last, and the time to authorize it', () => {
    const granting = NAMES.map(read).filter(({ network }) => network.max_mode !== 'offline');
    expect(granting.map(({ name }) => name)).toEqual(['standard', 'unrestricted']);
    for (const { approvals, budgets, network } of granting) {
      const answerSecs = network.require_approval ? authorizationSecs(approvals.default_ttl_secs) : 0;
      const neededSecs = (budgets.max_wall_clock_secs ?? Infinity) + answerSecs;
      expect(network.max_grant_secs ?? DEFAULT_GRANT_SECS).toBeGreaterThanOrEqual(neededSecs);
    }
  });

  it('default has the rules of the table, in their order', () => {
    const rules = read('default').tools.map(
      ({ match, action, risk, on_autonomous, approval_ttl_secs, approval_scope }) => {
        expect([on_autonomous, approval_ttl_secs, approval_scope]).toEqual([null, null, null]);
        return [match.join(' '), action, risk];
      },
    );
    expect(rules).toEqual([
      [
        'Read Glob Grep LS TodoWrite NotebookRead ToolSearch EnterPlanMode ExitPlanMode AskUserQuestion ReportFindings TaskGet TaskList TaskOutput CronList',
        'allow',
        null,
      ],
      ['Agent Task Workflow Skill TaskCreate', 'deny', expect.stringContaining('nested execution')],
      ['Edit Write MultiEdit NotebookEdit', 'allow', null],
      ['Bash BashOutput KillShell', 'allow', null],
      ['WebFetch WebSearch DesignSync Monitor', 'deny', expect.stringContaining('network egress')],
      [
        'TaskStop TaskUpdate SendMessage CronCreate CronDelete ScheduleWakeup PushNotification EnterWorktree ExitWorktree',
        'approve',
        expect.stringContaining('effect beyond the disposable workspace'),
      ],
      ['mcp__*', 'approve', expect.stringContaining('unreviewed MCP tool')],
    ]);
    const [, , edits, shell] = read('default').tools;
    expect(edits?.paths).toEqual(EDIT_PATHS);
    expect(shell?.shell?.on_no_match).toBe('approve');
    expect(shell?.shell?.allow_prefixes).toEqual(
      (
        'ls,cat,head,tail,wc,grep,rg,find,pwd,echo,which,env | grep,python,python3,pytest,pip install -r,node,npm test,npm run test,' +
        'npx jest,npx vitest,cargo test,cargo build,cargo check,go test,make test,git status,git diff,git log,git add,git commit,' +
        'git show,cd,mkdir,touch,mv,cp,sed,awk,diff,sort,uniq,cut,tr,stat,file,du,printf,basename,dirname,date'
      ).split(','),
    );
  });

  it('governed has the rules of the table, in their order', () => {
    const { tools } = read('governed');
    expect(tools.map(({ match, action }) => [match.join(' '), action])).toEqual([
      ['Read Glob Grep LS TodoWrite NotebookRead EnterPlanMode ExitPlanMode AskUserQuestion', 'allow'],
      ['Edit Write MultiEdit NotebookEdit', 'approve'],
      ['Bash BashOutput KillShell', 'allow'],
      ['mcp__*', 'approve'],
    ]);
    expect(tools[1]?.paths).toEqual(EDIT_PATHS);
    expect(tools[2]?.shell?.on_no_match).toBe('deny');
    expect(tools[2]?.shell?.allow_prefixes.join(',')).toBe(
      'ls,cat,head,tail,wc,grep,rg,find,pwd,git status,git diff,git log',
    );
  });

  it('unrestricted has no rules at all', () => {
    expect(read('unrestricted').tools).toEqual([]);
  });

  it('give no network targets', () => {
    for (const name of NAMES) expect(read(name).network).toMatchObject({ allow: [], deny: [] });
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
    expect(SUB_EXECUTION_TOOLS.every(isCanonicalTool)).toBe(true);
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
    ['rm -rfv /', 'deny'],
    ['rm -fr /*', 'deny'],
    ['rm -rf -- /', 'deny'],
    ['rm -rf --no-preserve-root /', 'deny'],
    ['rm --force --recursive /', 'deny'],
    ['cd / && rm -r -f / 2>/dev/null', 'deny'],
    ['rm -rf /etc', 'require_approval'],
    ['rm -rf ./build && ls /', 'require_approval'],
    ['wget x', 'deny'],
    ['nc -l 1', 'deny'],
    ['ssh h', 'deny'],
    ['scp a h:b', 'deny'],
    ['sudo ls', 'deny'],
    ['ls; curl x', 'deny'],
    ['grep root /etc/passwd', 'deny'],
    ['git push --force', 'deny'],
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
    ['find . -name x', 'allow'],
    ['find . -delete', 'deny'],
    ['find . -execdir ls', 'deny'],
    ['find . -fls out', 'deny'],
    ...['rm', 'dd', 'mv', 'tee', 'truncate', 'chmod', 'chown', 'curl', 'wget', 'nc', 'ssh', 'scp', 'sudo'].map(
      (word): [string, string] => [`ls ${word}`, 'deny'],
    ),
    ...['ls ; pwd', 'ls & pwd', 'ls | wc', 'cat < a', 'cat > a', 'ls `id`', 'ls $(id)', 'cat /etc/passwd'].map(
      (line): [string, string] => [line, 'deny'],
    ),
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
