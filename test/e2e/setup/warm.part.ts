import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { LiveStack } from '../../support/installation/live-stack.js';
import type { EnterStack } from '../../support/installation/share-stack.js';
import { ADDS, artifactOf, createPreparedAgent, dataOf, LOOK } from './prepared-agents.js';

interface Ended {
  run: string;
  /** How its workspace was prepared: `warm` with what another run made. */
  how: 'cold' | 'warm';
  kept: Record<string, unknown> | undefined;
  diff: string;
}

/** The second run of a repository, which starts with what the first one prepared. @param roots where its folders may be */
export function preparesAgain(enter: EnterStack, roots: string): void {
  let stack: LiveStack;
  let folder: string;
  let folders = 0;
  beforeAll(async () => {
    stack = await enter();
  });
  beforeEach(() => {
    folder = join(roots, `project-${(folders += 1)}`);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{"name":"project"}\n');
    writeFileSync(join(folder, 'main.js'), 'one\n');
  });

  async function play(agent: string, steps: object[] = LOOK): Promise<Ended> {
    const run = await stack.startRun(agent, steps, { workspace: { kind: 'local_copy', path: folder } });
    expect(await stack.untilTerminal(run)).toMatchObject({ status: 'completed' });
    const reused = await dataOf(stack, run, 'setup.reused');
    const [kept] = await dataOf(stack, run, 'setup.kept');
    // A launch that is repeated on a busy machine begins with what it has kept by then itself.
    const how = reused.some(({ made_by }) => made_by !== run) ? 'warm' : 'cold';
    expect((await dataOf(stack, run, 'setup.started')).length > 0).toBe(how === 'cold');
    return {
      run,
      kept,
      how,
      diff: await artifactOf(stack, run, 'changes.patch'),
    };
  }

  const images = () => readdirSync(join(stack.dataDir, 'layers')).filter((name) => name.endsWith('.img'));

  it('starts with what the first one prepared, unchanged by it, and its diff is the same', async () => {
    await createPreparedAgent(stack, 'keeping', 'open', ADDS);
    const first = await play('keeping');
    expect(first).toMatchObject({ how: 'cold', kept: { kept: true } });
    const second = await play('keeping');
    expect(second).toMatchObject({ how: 'warm', kept: undefined });
    const madeBy = (await dataOf(stack, second.run, 'setup.reused')).map(({ made_by }) => made_by);
    expect(new Set(madeBy)).toEqual(new Set([first.run]));
    expect(await dataOf(stack, second.run, 'tool.requested')).toHaveLength(1);
    expect(first.diff).toContain('+dep\n+kept\n');
    expect(second.diff).toBe(first.diff);
    const seen = await play('keeping', [
      { tool: 'Bash', input: { command: 'cat /proc/self/mountinfo > seen.txt; df -a >> seen.txt' } },
    ]);
    expect(seen.how).toBe('warm');
    expect(seen.diff).toContain(' /workspace rw,nosuid,nodev');
    expect(seen.diff).not.toContain(stack.dataDir);
  });

  it('starts anew when a manifest has changed, and with the earlier result when it is as before', async () => {
    await createPreparedAgent(stack, 'changing', 'open', ADDS);
    expect((await play('changing')).how).toBe('cold');
    writeFileSync(join(folder, 'main.js'), 'two\n');
    const warm = await play('changing');
    expect(warm.how).toBe('warm');
    writeFileSync(join(folder, 'package.json'), '{"name":"project","scripts":{"postinstall":"evil"}}\n');
    expect((await play('changing')).how).toBe('cold');
    writeFileSync(join(folder, 'package.json'), '{"name":"project"}\n');
    expect((await play('changing')).how).toBe('warm');
  });

  it('starts anew for another repository, another setup and other variables', async () => {
    await createPreparedAgent(stack, 'one', 'open', ADDS);
    expect((await play('one')).how).toBe('cold');
    await createPreparedAgent(stack, 'same', 'open', ADDS);
    expect((await play('same')).how).toBe('warm');
    await createPreparedAgent(stack, 'other-setup', 'open', { ...ADDS, commands: [...ADDS.commands, 'true'] });
    expect((await play('other-setup')).how).toBe('cold');
    await createPreparedAgent(stack, 'other-variables', 'open', ADDS, { env: { COLOUR: 'green' } });
    expect((await play('other-variables')).how).toBe('cold');
    await createPreparedAgent(stack, 'not-keeping', 'open', { ...ADDS, cache: false });
    expect(await play('not-keeping')).toMatchObject({ how: 'cold', kept: undefined });
    const before = folder;
    folder = `${before}-copy`;
    mkdirSync(folder);
    for (const name of ['package.json', 'main.js']) writeFileSync(join(folder, name), readFileSync(join(before, name)));
    expect((await play('one')).how).toBe('cold');
  });

  it('starts anew when a setup changed what the repository holds: nothing is kept of it, and the record says why', async () => {
    await createPreparedAgent(stack, 'meddling', 'open', {
      commands: [...ADDS.commands, 'echo "require(\'./deps/one\')" >> main.js'],
      cache: true,
    });
    const first = await play('meddling');
    expect(first).toMatchObject({
      how: 'cold',
      kept: { kept: false, reason: 'a setup command changed what the repository holds: main.js' },
    });
    // The run itself goes on with it.
    expect(first.diff).toContain("+require('./deps/one')");
    expect((await play('meddling')).how).toBe('cold');
  });

  it('starts anew when the kept image is not what it was, which is deleted', async () => {
    await createPreparedAgent(stack, 'damaged', 'open', ADDS);
    const before = images();
    expect((await play('damaged')).how).toBe('cold');
    const [image = ''] = images().filter((name) => !before.includes(name));
    const path = join(stack.dataDir, 'layers', image);
    chmodSync(path, 0o600);
    truncateSync(path, 4096 * 100);
    expect(await play('damaged')).toMatchObject({ how: 'cold', kept: { kept: true } });
    expect(images()).not.toContain(image);
    expect((await play('damaged')).how).toBe('warm');
  });

  it('starts anew when somebody deleted what was kept, while the server goes on', async () => {
    await createPreparedAgent(stack, 'cleaned', 'open', ADDS);
    expect((await play('cleaned')).how).toBe('cold');
    const argv = [resolve('dist/cli/main.js'), '--data-dir', stack.dataDir, 'clean', '--setup-cache'];
    const { stdout } = await promisify(execFile)(process.execPath, argv);
    expect(stdout).toMatch(/^Deleted [1-9]\d* results? of setup commands, \d+ MiB(?:; \d+ stayed, .*)?\.\n$/);
    expect(await play('cleaned')).toMatchObject({ how: 'cold', kept: { kept: true } });
    expect((await play('cleaned')).how).toBe('warm');
  });

  it('leaves no mount of it behind', async () => {
    await stack.until('the runs to be removed', 60_000, () =>
      Promise.resolve(readFileSync('/proc/self/mounts', 'utf8').includes(`${stack.dataDir}/runs/`) ? undefined : true),
    );
    // Other suites have runs of their own on this machine.
    const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
    expect(mounts.filter((line) => line.includes(stack.dataDir) && line.includes('/layer '))).toEqual([]);
  });
}
