import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ScriptedPlane } from '../../../test/support/plane/scripted-plane.js';
import type { ScriptedPlaneOptions } from '../../../test/support/plane/scripted-plane.js';
import { startRun } from '../../../test/support/runner/runner-run.js';
import type { TestRun } from '../../../test/support/runner/runner-run.js';
import { untilHolds } from '../../../test/support/time/until.js';
import type { RunnerOptions } from '../runner.js';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

interface Setup {
  plane: ScriptedPlane;
  run: TestRun;
  printed: string[];
}

async function setUp(
  commands: string[],
  plane: ScriptedPlaneOptions = {},
  timeoutSecs = 60,
  changes: Partial<RunnerOptions> = {},
): Promise<Setup> {
  const scripted = await ScriptedPlane.start(plane);
  open.push(scripted);
  const printed: string[] = [];
  const variables = {
    SERVICE_HARNESS: 'builtin',
    SERVICE_TASK: 'a task',
    SERVICE_SETUP: JSON.stringify({ commands, timeout_secs: timeoutSecs }),
    COLOUR: 'green',
  };
  const tokens = { ...scripted.tokens, llm: '' };
  const run = await startRun(scripted, variables, { tokens, print: (text) => printed.push(text), ...changes });
  open.push({ stop: run.cleanUp });
  return { plane: scripted, run, printed };
}

const ofKind = ({ plane }: Setup, type: string) => plane.events.filter((event) => event.type === type);

describe('the setup of a workspace', () => {
  it('CP-026 asks for each command as Bash under an id of its own, runs it with the variables of tools, and tells its end', async () => {
    const setup = await setUp(['echo "$COLOUR $HOME" > a', 'cat a; echo b > b']);
    expect(await setup.run.exitCode).toBe(0);
    expect(setup.plane.permissions).toMatchObject([
      { toolCallId: 'setup_001', tool: 'Bash', input: { command: 'echo "$COLOUR $HOME" > a' } },
      { toolCallId: 'setup_002', tool: 'Bash' },
    ]);
    expect(await readFile(join(setup.run.workspace, 'a'), 'utf8')).toBe('green /home/agent\n');
    expect(setup.printed).toEqual(['green /home/agent\n']);
    expect(setup.plane.events.map((event) => event.type)).toEqual([
      'setup.started',
      'setup.command',
      'tool.completed',
      'setup.command',
      'tool.completed',
      'setup.finished',
    ]);
    expect(ofKind(setup, 'setup.started')).toMatchObject([{ actor: 'harness', data: { commands: 2 } }]);
    expect(ofKind(setup, 'setup.command')[1]?.data).toMatchObject({
      index: 1,
      tool_call_id: 'setup_002',
      exit_code: 0,
    });
    expect(ofKind(setup, 'setup.finished')[0]?.data).toMatchObject({ ok: true });
  });

  it('calls no model, posts no result, and puts nothing that was printed on the record', async () => {
    const setup = await setUp(['echo canary-91']);
    expect(await setup.run.exitCode).toBe(0);
    expect(setup.plane.results).toEqual([]);
    expect(setup.plane.attempts.get('llm')).toBeUndefined();
    expect(JSON.stringify([setup.plane.events, setup.run.lines])).not.toContain('canary-91"');
    expect(JSON.stringify(setup.plane.events)).not.toContain('canary-91');
  });

  it('ends with the first command that fails, which it names', async () => {
    const setup = await setUp(['true', 'exit 9', 'touch never']);
    expect(await setup.run.exitCode).toBe(6);
    expect(existsSync(join(setup.run.workspace, 'never'))).toBe(false);
    expect(ofKind(setup, 'setup.finished')[0]?.data).toMatchObject({
      ok: false,
      reason: 'command 2 of 3 (exit 9) ended with exit code 9',
    });
  });

  it('CP-024 never runs a command that was denied', async () => {
    const setup = await setUp(['touch acted'], { decide: () => ({ decision: 'deny', message: 'not here' }) });
    expect(await setup.run.exitCode).toBe(6);
    expect(existsSync(join(setup.run.workspace, 'acted'))).toBe(false);
    expect(ofKind(setup, 'setup.finished')[0]?.data['reason']).toBe(
      'command 1 of 1 (touch acted) was denied: not here',
    );
  });

  it('counts the time of its commands together, and kills what is under way when it is over', async () => {
    const setup = await setUp(['sleep 0.7', 'sleep 600'], {}, 1);
    expect(await setup.run.exitCode).toBe(7);
    expect(ofKind(setup, 'setup.finished')[0]?.data['reason']).toBe(
      'command 2 of 2 (sleep 600) was under way when the 1 s of the setup were over',
    );
  });

  it('does not count the time that people take', async () => {
    const setup = await setUp(['touch acted'], { delayMs: (route) => (route === 'permission' ? 1_500 : 0) }, 1);
    expect(await setup.run.exitCode).toBe(0);
  });

  it('leads commands to the proxy of the run, and says which connection was refused to one that failed', async () => {
    const connect = `printf 'CONNECT registry.example:443 HTTP/1.1\\r\\nhost: registry.example:443\\r\\n\\r\\n' >&3`;
    const plane: ScriptedPlaneOptions = { fault: (route) => (route === 'tunnel' ? 'cut' : null) };
    const setup = await setUp(
      [`exec 3<>/dev/tcp/127.0.0.1/\${HTTPS_PROXY##*:}; ${connect}; head -n 1 <&3; exit 4`],
      plane,
    );
    expect(await setup.run.exitCode).toBe(6);
    expect(ofKind(setup, 'setup.finished')[0]?.data['reason']).toMatch(
      / ended with exit code 4 \(sandgate: 1 connection was refused while this ran: registry\.example:443 — /,
    );
    expect(setup.printed.join('')).toMatch(/^HTTP\/1\.1 [45]\d\d .*\r\n\[sandgate: 1 connection was refused/);
  });

  it('has not prepared anything when it is told to stop', async () => {
    let quiesce = false;
    const setup = await setUp(['touch began; sleep 600'], { heartbeatAction: () => (quiesce ? 'quiesce' : null) });
    await untilHolds(() => existsSync(join(setup.run.workspace, 'began')));
    quiesce = true;
    expect(await setup.run.exitCode).toBe(6);
    expect(ofKind(setup, 'setup.finished')).toEqual([]);
  });

  it('does not begin in a sandbox that is not what it should be', async () => {
    const setup = await setUp(['touch acted'], {}, 60, { selfCheck: () => ({ ok: false, point: 'mounts' }) });
    expect(await setup.run.exitCode).toBe(1);
    expect(setup.plane.permissions).toEqual([]);
  });
});
