import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyProcess } from '../../../src/platform/host/process-identity.js';
import type { SandboxHandle } from '../../../src/platform/sandbox/provider.js';
import { describeWithEngine } from '../../support/engine/describe-with-engine.js';
import { MAKE_WITHIN_MS, startEngine } from '../../support/engine/image-store.js';
import type { PodmanService } from '../../support/engine/podman-service.js';
import { TEST_IMAGE } from '../../support/engine/test-image.js';
import {
  itKeepsTheContract,
  itPreparesApart,
  LIFE,
  releaseAll,
  startedRun,
  wholeRun,
  type Run,
} from './support/lifecycle-contract.js';
import { answerOf, SandboxLab } from './support/sandbox-lab.js';
import { describeNightly, itNightly } from '../../support/nightly/nightly.js';

jest.setTimeout(180_000);

describeWithEngine('life of a sandbox on a container engine', () => {
  let engine: PodmanService;
  let lab: SandboxLab;

  beforeAll(async () => {
    engine = await startEngine();
    lab = await SandboxLab.open('docker', engine.socket);
  }, MAKE_WITHIN_MS);

  afterAll(async () => {
    try {
      await releaseAll(lab);
    } finally {
      await engine[Symbol.asyncDispose]();
      await lab[Symbol.asyncDispose]();
    }
  });

  /** A container that stands where the one of a run belongs. */
  const plant = (runId: string, deployment: string): string =>
    engine
      .podman(
        ...['run', '--detach', '--network', 'none', '--name', `service-${runId}`],
        ...['--label', `service.deployment=${deployment}`, '--label', `service.session=${runId}`],
        ...[TEST_IMAGE, '/bin/sleep', '600'],
      )
      .trim();

  describeNightly('as every sandbox', () => {
    itKeepsTheContract(() => lab, 'agent');
    itPreparesApart(() => lab);
  });

  it('a setup has a container of its own, which is gone when the agent has one, and is removed with the run', async () => {
    const runId = `${LIFE}-apart`;
    const [prepared, output] = await lab.perform([
      wholeRun(runId, { MODE: 'script', SCRIPT: 'echo prepared', PHASE: 'setup' }, true),
      { do: 'output', runId },
    ]);
    expect([answerOf<Run>(prepared).output, output?.value]).toEqual(['prepared\n', 'prepared\n']);
    const named = (): string[] => engine.containers().filter((name) => name.startsWith(`service-${runId}`));
    expect(named()).toEqual([`service-${runId}.setup`]);
    await lab.perform([startedRun(runId, { MODE: 'idle', PHASE: 'agent' })]);
    expect(named()).toEqual([`service-${runId}`]);
    const abandoned = `${LIFE}-abandoned`;
    const [, list] = await lab.perform([
      startedRun(abandoned, { MODE: 'idle', PHASE: 'setup' }),
      { do: 'list' },
      { do: 'release', runId: abandoned },
    ]);
    expect(answerOf<{ managed: { runId: string }[] }>(list).managed.map((one) => one.runId)).toContain(abandoned);
    expect(engine.containers().filter((name) => name.startsWith(`service-${abandoned}`))).toEqual([]);
  });

  it('proof 18: a promise that does not hold ends the launch with the point named, and leaves no container', async () => {
    const runtime = join(lab.dataDir, 'runtime', readdirSync(join(lab.dataDir, 'runtime'))[0] ?? '');
    // A runner that can be read is a process that can be looked into.
    chmodSync(join(runtime, 'runner-node'), 0o755);
    try {
      const [result] = await lab.perform([startedRun(`${LIFE}-check`, { MODE: 'idle' })]);
      expect(result?.error).toMatch(/self-check failed: hidden files: .*\/proc\/self\/(environ|mem)/);
      expect(engine.containers()).not.toContain(`service-${LIFE}-check`);
    } finally {
      chmodSync(join(runtime, 'runner-node'), 0o111);
    }
  });

  it('shows nobody inside where the state folder is', async () => {
    const script = 'cat /proc/self/mountinfo /proc/self/mounts /proc/net/unix /proc/self/cgroup';
    const [result] = await lab.perform([wholeRun(`${LIFE}-places`, { MODE: 'script', SCRIPT: script })]);
    const { output } = answerOf<Run>(result);
    expect(output).toContain(' /run/sandgate ro');
    expect(output).not.toContain(lab.folder);
  });

  it('a workspace that is a plain folder of the host gains nobody anything, with files of root that are setuid or a device', async () => {
    const runId = `${LIFE}-plain-folder`;
    const soft = { PROBE_SOFT: '1' };
    const [setuid, device] = [join(lab.folder, 'setuid'), join(lab.folder, 'device')];
    copyFileSync('/usr/bin/id', setuid);
    chmodSync(setuid, 0o6755);
    execFileSync('cp', ['-a', '/dev/loop-control', device]);
    chmodSync(device, 0o666);
    const use = (folder: string): string =>
      `${folder}/setuid -u; ${folder}/setuid -g; (: <> ${folder}/device) 2> /dev/null && echo opened || echo refused`;
    const nobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups', '--'];
    // What the files are good for where nothing stops them.
    const outside = execFileSync('setpriv', [...nobody, '/bin/sh', '-c', use(lab.folder)], { encoding: 'utf8' });
    expect(outside).toBe('0\n0\nopened\n');

    const script = `until [ -e planted ]; do sleep 0.1; done; ${use('/workspace')}; grep -E " /(workspace|home/agent) " /proc/self/mountinfo`;
    const [check, started] = await lab.perform(
      [{ do: 'check' }, startedRun(runId, { MODE: 'script', SCRIPT: script, PHASE: 'agent' })],
      soft,
    );
    expect(check?.value).toMatchObject({ ok: true, notes: expect.arrayContaining([expect.stringContaining('soft')]) });
    const workspace = join(lab.dataDir, 'runs', runId, 'disk/workspace');
    renameSync(setuid, join(workspace, 'setuid'));
    renameSync(device, join(workspace, 'device'));
    writeFileSync(join(workspace, 'planted'), '');
    const { handle } = answerOf<Run>(started);
    const [, output] = await lab.perform(
      [
        { do: 'wait', handle },
        { do: 'output', runId },
        { do: 'release', runId },
      ],
      soft,
    );
    const [uid, gid, opened, ...mounts] = String(output?.value).trim().split('\n');
    expect(Number(uid)).toBeGreaterThan(10_000);
    expect([gid, opened]).toEqual([uid, 'refused']);
    // Neither refuses by itself, or this would prove nothing.
    expect(mounts).toHaveLength(2);
    expect(mounts.join()).not.toMatch(/nosuid|nodev/);
  });

  it('CP-039 nobody who asks the engine is shown a token', async () => {
    const [started] = await lab.perform([startedRun(`${LIFE}-shown`, { MODE: 'idle' })]);
    const { handle } = answerOf<Run>(started);
    const shown = engine.podman('inspect', handle.external_id) + engine.podman('logs', handle.external_id);
    expect(shown).toContain(`service-${LIFE}-shown`);
    expect(shown).not.toContain('svc_sess_');
  });

  itNightly('a launcher that died before it noted the container is no reason for a second one', async () => {
    const runId = `${LIFE}-unnoted`;
    const started = await lab.performAndDie([startedRun(runId, { MODE: 'idle' })]);
    rmSync(join(lab.dataDir, `runs/${runId}/sandbox/container.json`));
    const [again] = await lab.perform([startedRun(runId, { MODE: 'idle' })]);
    expect(answerOf<Run>(again).handle).toEqual(answerOf<Run>(started).handle);
    expect(engine.containers().filter((name) => name === `service-${runId}`)).toHaveLength(1);
  });

  itNightly('a container without a runner in it is replaced by one that has', async () => {
    const runId = `${LIFE}-empty`;
    const planted = plant(runId, lab.deployment);
    const [started] = await lab.perform([startedRun(runId, { MODE: 'idle' })]);
    expect(answerOf<Run>(started).handle.external_id).not.toBe(planted);
    expect(engine.podman('ps', '--all', '--no-trunc', '--format', '{{.ID}}')).not.toContain(planted);
  });

  it('containers of another installation are neither seen nor touched', async () => {
    const runId = `${LIFE}-foreign`;
    const planted = plant(runId, 'somebody-else');
    const [list, refused, released] = await lab.perform([
      { do: 'list' },
      startedRun(runId, { MODE: 'idle' }),
      { do: 'release', runId },
    ]);
    expect(JSON.stringify(list?.value)).not.toContain(runId);
    expect(refused?.error).toContain('of another installation');
    expect(released?.error).toBeUndefined();
    expect(engine.podman('inspect', '--format', '{{.State.Running}}', planted).trim()).toBe('true');
    engine.podman('rm', '--force', '--time', '0', planted);
  });

  itNightly('a program that takes more than the memory of its run is killed, and the run goes on', async () => {
    const greedy = 'node -e "const kept = []; for (;;) kept.push(Buffer.alloc(1 << 20, 1))"; echo still here';
    const [result] = await lab.perform([wholeRun(`${LIFE}-greedy`, { MODE: 'script', SCRIPT: greedy })]);
    expect(answerOf<Run>(result).output).toContain('Killed\nstill here\n');
  });

  it('a name that the engine kept for a container which it was making when it died is taken all the same', async () => {
    const runId = `${LIFE}-stranded`;
    await engine.strand(`service-${runId}`, TEST_IMAGE);
    expect(engine.containers()).not.toContain(`service-${runId}`);
    expect(() => engine.podman('create', '--name', `service-${runId}`, TEST_IMAGE, '/bin/true')).toThrow(
      /already in use/,
    );
    const [started] = await lab.perform([startedRun(runId, { MODE: 'idle' })]);
    expect(started?.error).toBeUndefined();
    expect(engine.containers()).toContain(`service-${runId}`);
    await lab.perform([{ do: 'release', runId }]);
    expect(engine.containers()).not.toContain(`service-${runId}`);
  });

  it('an engine that is away is never taken for the end of a sandbox, and found again when it is back', async () => {
    const runId = `${LIFE}-away`;
    const [started] = await lab.perform([startedRun(runId, { MODE: 'idle' })]);
    const { handle } = answerOf<{ handle: SandboxHandle }>(started);
    const waiting = lab.perform([{ do: 'wait', handle }]);
    await engine.kill();
    const [state, again, release] = await lab.perform([
      { do: 'state', handle },
      startedRun(runId, { MODE: 'idle' }),
      { do: 'release', runId },
    ]);
    for (const one of [state, again, release]) expect(one?.error).toContain('does not answer');
    // Whoever waits asks again by now.
    await sleep(1_000);
    await engine.begin();
    const [after, adopted, end] = await lab.perform([
      { do: 'state', handle },
      startedRun(runId, { MODE: 'idle' }),
      { do: 'terminate', handle },
    ]);
    expect(after?.value).toEqual({ phase: 'running' });
    expect(answerOf<Run>(adopted).handle).toEqual(handle);
    expect(end).toEqual({ value: null });
    const [exit] = await waiting;
    expect(exit?.value).toEqual({ exitCode: null, reason: 'the sandbox was ended by Sandgate' });
  });

  it('the check removes what an ended process left of its own, and nothing that another is using', async () => {
    const { bootId, pid, startTime } = identifyProcess(process.pid)!;
    const plantTrial = (name: string, ...labels: string[]): string =>
      engine.podman(
        ...['create', '--name', name, '--label', `service.trial=${lab.deployment}`],
        ...[...labels.flatMap((label) => ['--label', label]), TEST_IMAGE, '/bin/true'],
      );
    plantTrial('used', `service.process=${bootId}/${pid}/${startTime}`);
    plantTrial('left', `service.process=${bootId}/${pid}/${startTime - 1}`);
    plantTrial('unsigned');
    const [report] = await lab.perform([{ do: 'check' }]);
    expect(report?.value).toMatchObject({ ok: true });
    const planted = engine.containers().filter((name) => ['used', 'left', 'unsigned'].includes(name));
    expect(planted).toEqual(['used']);
    engine.podman('rm', 'used');
  });

  itNightly('says what an engine lacks', async () => {
    const [noImage] = await lab.perform([{ do: 'check' }], { PROBE_IMAGE: 'localhost/none:1' });
    expect(noImage?.value).toMatchObject({
      ok: false,
      missing: [expect.stringContaining('`npm run images` makes it')],
    });
    const [foreign] = await lab.perform([{ do: 'check' }], { PROBE_ENGINE: '/nowhere.sock' });
    expect(foreign?.value).toMatchObject({
      ok: false,
      missing: ['the container engine at /nowhere.sock does not answer'],
    });
  });

  it('leaves no container and no trial behind', async () => {
    await releaseAll(lab);
    expect(engine.containers()).toEqual([]);
    expect(readFileSync(join(lab.dataDir, 'uids.json'), 'utf8')).toBe('{}');
  });
});
