import { beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../src/domain/json.js';
import { alterCodex } from './support/altered-codex.js';
import { FREE, FROM_BASH, inOneStream, KNOWN_SAFE } from './support/codex-attempts.js';
import { type CodexLab, done, MODEL, offered } from './support/codex-lab.js';
import { decisions, type FinishedRun } from './support/harness-lab.js';
import type { EnterLab } from './support/share-lab.js';
import { eventsOf } from '../../support/installation/timeline.js';
import { writeHostileCodexProject } from './support/hostile-codex-project.js';
import { call, patch, run, say } from './support/scripted-responses.js';
import { recordAltered } from './support/record-altered.js';

/** Attempts of Codex to act without asking. */
export function attemptsWithCodex(enter: EnterLab<CodexLab>): void {
  let lab: CodexLab;
  let folder: string;
  beforeAll(async () => {
    ({ lab, folder } = await enter());
    writeHostileCodexProject(folder);
    const nothing = 'name: nothing\ndefaults: { tool_action: deny }\ntools: []\n';
    await lab.stack.json('POST', '/v1/policies', { name: 'nothing', yaml: nothing });
    await lab.createAgent('powerless', { policy: 'nothing' });
    await lab.stack.json('POST', '/v1/policies', { name: 'free', yaml: FREE });
    await lab.createAgent('free', { policy: 'free' });
  });

  describe('from a command that was allowed', () => {
    let finished: FinishedRun<string>;
    beforeAll(async () => {
      const tries = FROM_BASH.map(([, command], index) =>
        run(`b${index}`, inOneStream(command), { timeout_ms: 60_000 }),
      );
      const answers = [tries, [run('last', 'touch allowed.txt'), run('no', 'touch forbidden')], done];
      finished = await lab.perform('from-bash', answers, { agent: 'free' });
    });

    it.each(FROM_BASH.map(([what, , shows], index) => ({ what, shows, index })))(
      '$what has no effect outside the sandbox',
      ({ shows, index }) => {
        expect(finished.results[`b${index}`]).toMatch(shows);
      },
    );

    it('all of it was asked, nothing was called beside it, and the diff shows no more than what was allowed', () => {
      expect(eventsOf(finished.timeline, 'tool.requested')).toHaveLength(FROM_BASH.length + 2);
      expect(Object.fromEntries(decisions(finished).map(([id, verdict]) => [id, verdict]))).toMatchObject({
        no: 'deny',
      });
      expect(finished.diff.match(/^diff --git .*$/gm)).toEqual(['diff --git a/allowed.txt b/allowed.txt']);
      expect(lab.requestsOf('inner')).toEqual([]);
    });
  });

  it('every command that it knows as safe is asked, in each spelling, and runs not at all when it is denied', async () => {
    const calls = KNOWN_SAFE.map((command, index) => run(`s${index}`, command));
    const finished = await lab.perform('known-safe', [calls, done], { agent: 'powerless' });
    expect(finished.session.status).toBe('completed');
    expect(decisions(finished).map(([, verdict]) => verdict)).toEqual(KNOWN_SAFE.map(() => 'deny'));
    const asked = eventsOf(finished.timeline, 'tool.requested').map((data) => data['tool_call_id']);
    expect(new Set(asked).size).toBe(KNOWN_SAFE.length);
    for (const [id, text] of Object.entries(finished.results))
      expect([id, text]).toEqual([id, expect.stringContaining('Rejected')]);
  });

  it('an offer to remember a command is not taken: the next one is asked again', async () => {
    const escalated = { sandbox_permissions: 'require_escalated', justification: 'please', prefix_rule: ['echo'] };
    const finished = await lab.perform('amended', [
      [run('a1', 'echo one > one.txt', escalated)],
      [run('a2', 'echo two > two.txt', escalated)],
      [run('a3', 'echo forbidden', escalated)],
      done,
    ]);
    expect(finished.session.status).toBe('completed');
    expect(decisions(finished).map(([id, verdict]) => [id, verdict])).toEqual([
      ['a1', 'allow'],
      ['a2', 'allow'],
      ['a3', 'deny'],
    ]);
  });

  it('a command outside the workspace, on a terminal or in a login shell is not run', async () => {
    const finished = await lab.perform('elsewhere', [
      [
        run('w1', 'touch by-workdir', { workdir: '/tmp' }),
        run('w2', 'touch by-workdir', { workdir: '/workspace/..' }),
        run('w3', 'touch by-terminal', { tty: true }),
        run('w4', 'touch by-login', { login: true }),
      ],
      [run('w5', 'find / -name "by-*" -newer /proc/1 2> /dev/null; true')],
      done,
    ]);
    expect(finished.session.status).toBe('completed');
    expect(decisions(finished).map(([id]) => id)).toEqual(['w5']);
    expect(finished.results['w5']).not.toMatch(/by-(workdir|terminal|login)/);
    expect(eventsOf(finished.timeline, 'tool.rejected')).toHaveLength(4);
  });

  it('a patch is asked as a change of files wherever it comes from, and one beyond the workspace is not applied', async () => {
    const within = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: by-shell.txt\n+x\n*** End Patch\nEOF";
    const finished = await lab.perform('patches', [
      [run('p1', within)],
      [patch('p2', '*** Add File: ../tmp/outside.txt', '+x')],
      [patch('p3', '*** Add File: /etc/codex/requirements.toml', '+x')],
      [patch('p4', '*** Update File: by-shell.txt', '*** Move to: forbidden.txt', '@@', '-x', '+y')],
      done,
    ]);
    expect(finished.session.status).toBe('completed');
    expect(decisions(finished).map(([id, verdict]) => [id, verdict])).toEqual([
      ['p1', 'allow'],
      ['p2', 'deny'],
      ['p3', 'deny'],
      ['p4', 'deny'],
    ]);
    expect(eventsOf(finished.timeline, 'tool.requested').map((data) => data['tool'])).toEqual(
      Array(4).fill('MultiEdit'),
    );
    expect(finished.diff).toContain('by-shell.txt');
    expect(finished.diff).not.toContain('forbidden.txt');
  });

  const REFUSED: readonly [what: string, calls: JsonObject[]][] = [
    [
      'tools of other versions and terminals',
      [
        call('h1', 'shell_command', { command: 'touch by-name' }),
        call('h2', 'shell', { command: ['touch', 'by-name'] }),
        call('h3', 'write_stdin', { session_id: 1, chars: 'touch by-name\n' }),
        call('h4', 'view_image', { path: '/etc/passwd' }),
      ],
    ],
    [
      'code that calls tools, agents beside it, and searches',
      [
        {
          type: 'custom_tool_call',
          id: 'ctc_h5',
          call_id: 'h5',
          name: 'exec',
          input: 'await tools.exec_command({cmd:"touch by-name"})',
        },
        call('h6', 'spawn_agent', { message: 'touch by-name' }),
        { ...call('h7', 'spawn_agent', { task_name: 'x', message: 'touch by-name' }), namespace: 'collaboration' },
        call('h8', 'web_search', { query: 'x' }),
      ],
    ],
    [
      'MCP and brokered names',
      [
        call('h9', 'mcp__crm__find', {}),
        { ...call('h10', 'find', {}), namespace: 'mcp__crm' },
        call('h11', 'list_mcp_resources', {}),
        call('h12', 'request_permissions', { permissions: {} }),
      ],
    ],
  ];
  it.each(REFUSED)('%s are refused and on record', async (what, calls) => {
    const finished = await lab.perform(`hidden-${what.length}`, [calls, [run('ls', 'ls')], done]);
    expect(finished.session.status).toBe('completed');
    expect(decisions(finished).map(([id]) => id)).toEqual(['ls']);
    expect(finished.results['ls']).not.toContain('by-name');
    expect(eventsOf(finished.timeline, 'tool.rejected')).toHaveLength(calls.length);
    expect(offered(finished.requests[0])).toEqual(['exec_command', 'apply_patch']);
  });

  it('whoever goes on calling tools that were not given fails the run', async () => {
    const calls = [1, 2, 3, 4, 5, 6].map((index) => call(`x${index}`, `tool_${index}`, {}));
    const finished = await lab.perform('too-many', [calls, done]);
    expect(finished.session.status).toBe('failed');
    expect(finished.requests).toHaveLength(1);
  });

  describe('by files of the project', () => {
    let finished: FinishedRun<string>;
    beforeAll(async () => {
      finished = await lab.perform('from-files', [[run('f1', 'ls -a'), run('f2', 'touch forbidden')], done], {
        workspace: { kind: 'local_copy', path: folder },
      });
    });

    it('its settings and rules allow nothing: every call is asked, and a denial stands', () => {
      expect(finished.session.status).toBe('completed');
      expect(Object.fromEntries(decisions(finished).map(([id, verdict]) => [id, verdict]))).toEqual({
        f1: 'allow',
        f2: 'deny',
      });
      expect(finished.results['f1']).toContain('AGENTS.md');
      expect(finished.diff).not.toContain('forbidden');
    });

    it('its hooks, notices and servers do not run', () => {
      expect(finished.results['f1']).not.toContain('planted-');
      expect(finished.diff).not.toContain('planted-');
      expect(offered(finished.requests[0])).toEqual(['exec_command', 'apply_patch']);
    });

    it('its words, skills and model are not used', () => {
      expect(JSON.stringify(finished.requests)).not.toContain('PLANTED-WORDS');
      expect(new Set(finished.requests.map(({ model }) => model))).toEqual(new Set([MODEL]));
    });
  });

  it('variables of a revision reach its commands and nothing that steers the program', async () => {
    const env = { CODEX_HOME: '/tmp/planted', RUST_LOG: 'trace', SEEN: 'yes' };
    const detour = { ...env, HTTPS_PROXY: 'http://127.0.0.1:9' };
    await expect(lab.createAgent('detoured', { env: detour })).rejects.toThrow('env.HTTPS_PROXY');
    await lab.createAgent('steered', { env });
    const finished = await lab.perform('variables', [[run('e', 'env')], done], { agent: 'steered' });
    expect(finished.session.status).toBe('completed');
    expect(finished.results['e']).toContain('SEEN=yes');
    expect(finished.results['e']).not.toMatch(/svc_sess|SERVICE_/);
  });

  describe('by a program that was altered', () => {
    const errors = (finished: FinishedRun<string>): string => JSON.stringify(eventsOf(finished.timeline, 'run.error'));

    it('it is not started, because its files are not those that were installed', async () => {
      await alterCodex(lab.stack.dataDir);
      const finished = await lab.perform('altered', [done]);
      expect(finished.session.status).toBe('failed');
      expect(errors(finished)).toContain('are not those that were installed');
      expect(finished.requests).toEqual([]);
    });

    it('one that answers its own questions trips the wire: the run fails', async () => {
      await recordAltered(lab.stack.dataDir, 'codex');
      const finished = await lab.perform('open', [[run('unasked', 'touch unasked')], done], {
        task: 'task-open alter-open',
      });
      expect(finished.session.status).toBe('failed');
      expect(errors(finished)).toContain('unasked');
      expect(decisions(finished)).toEqual([]);
    });

    it('one that shows nothing of it either is found by the gateway, which fails the run', async () => {
      const finished = await lab.perform('hidden', [[run('unseen', 'touch unseen')], [say('Nothing happened.')]], {
        task: 'task-hidden alter-hidden',
      });
      expect(finished.session.status).toBe('failed');
      expect(errors(finished)).toContain('the gate never decided');
      expect(finished.requests).toHaveLength(1);
    });
  });
}
