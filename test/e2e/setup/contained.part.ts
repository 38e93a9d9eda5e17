import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import type { PodmanService } from '../../support/engine/podman-service.js';
import type { EnterEngine } from '../../support/engine/share-engine.js';
import { TEST_IMAGE } from '../../support/engine/test-image.js';
import type { LiveStack } from '../../support/installation/live-stack.js';
import { itNightly } from '../../support/nightly/nightly.js';
import { expectReadAlone } from './host-cache.js';
import { addSetupPolicies, ADDS, artifactOf, createPreparedAgent, dataOf, LOOK } from './prepared-agents.js';

/** Commands that prepare a workspace, in containers. */
export function preparesInContainers(enter: EnterEngine, cache: string, roots: string): void {
  const project = join(roots, 'project');
  let engine: PodmanService;
  let stack: LiveStack;

  beforeAll(async () => {
    ({ engine, stack } = await enter());
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{"name":"project"}\n');
    await addSetupPolicies(stack);
  });

  const play = (agent: string): Promise<string> =>
    stack.startRun(agent, LOOK, { workspace: { kind: 'local_copy', path: project } });

  it('run before the agent, and the second run starts with what they made', async () => {
    await createPreparedAgent(stack, 'keeping', 'open', ADDS);
    const first = await play('keeping');
    expect(await stack.untilTerminal(first)).toMatchObject({ status: 'completed' });
    expect(await dataOf(stack, first, 'setup.kept')).toMatchObject([{ kept: true }]);
    const second = await play('keeping');
    expect(await stack.untilTerminal(second)).toMatchObject({ status: 'completed' });
    expect(await dataOf(stack, second, 'setup.reused')).toMatchObject([{ made_by: first }]);
    const diff = await artifactOf(stack, first, 'changes.patch');
    expect(diff).toContain('+dep\n+kept\n');
    expect(await artifactOf(stack, second, 'changes.patch')).toBe(diff);
  });

  itNightly('read the caches of the host, as the agent does, and cannot change them', () =>
    expectReadAlone(stack, cache),
  );

  itNightly(
    'prepare for the programs of the image that the revision names, and keep nothing for those of another',
    async () => {
      const make = (marker: string): void => {
        engine.podman(
          'run',
          '--network',
          'none',
          '--name',
          marker,
          TEST_IMAGE,
          '/bin/sh',
          '-c',
          `echo ${marker} > /etc/marker`,
        );
        engine.podman('commit', '--quiet', marker, 'localhost/marked:1');
        engine.podman('rm', marker);
      };
      const setup = { commands: ['cat /etc/marker > marker'], cache: true };
      make('first');
      await createPreparedAgent(stack, 'marked', 'open', setup, { runner_image: 'localhost/marked:1' });
      const run = async (): Promise<string> => {
        const id = await play('marked');
        expect(await stack.untilTerminal(id)).toMatchObject({ status: 'completed' });
        return id;
      };
      const first = await run();
      expect(await artifactOf(stack, first, 'changes.patch')).toContain('+first\n');
      expect(await dataOf(stack, await run(), 'setup.reused')).toMatchObject([{ made_by: first }]);
      make('second');
      const third = await run();
      expect(await dataOf(stack, third, 'setup.reused')).toEqual([]);
      expect(await artifactOf(stack, third, 'changes.patch')).toContain('+second\n');
    },
  );

  itNightly.each([
    ['absent', 'the image localhost/absent:1 is not on this engine; `npm run images` makes it'],
    ['foreign', 'the image localhost/foreign:1 is not one of this version; `npm run images` makes it anew'],
  ])('do not begin where that image is %s', async (name, reason) => {
    engine.podman('create', '--name', 'base', TEST_IMAGE, '/bin/true');
    engine.podman('commit', '--quiet', '--change', 'LABEL sandgate.image=0', 'base', 'localhost/foreign:1');
    engine.podman('rm', 'base');
    await createPreparedAgent(stack, name, 'open', ADDS, { runner_image: `localhost/${name}:1` });
    const ended = await stack.untilTerminal(await play(name));
    expect(ended).toMatchObject({ status: 'failed', status_reason: `runner_image: ${reason}` });
  });

  it('one that fails ends the run with a sentence that names it, and its output is kept', async () => {
    await createPreparedAgent(stack, 'failing', 'open', { commands: ['echo why; exit 4'] });
    const run = await play('failing');
    expect(await stack.untilTerminal(run)).toMatchObject({
      status: 'failed',
      status_reason: 'setup failed: command 1 of 1 (echo why; exit 4) ended with exit code 4',
    });
    expect(await artifactOf(stack, run, 'setup.log')).toContain('\nwhy\n');
  });
}
