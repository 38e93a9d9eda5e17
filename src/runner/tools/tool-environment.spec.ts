import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ToolWorkspace } from '../../../test/support/runner/tool-workspace.js';
import { toolEnvironment } from './tool-environment.js';

let bench: ToolWorkspace;
beforeEach(async () => {
  bench = await ToolWorkspace.create();
});
afterEach(() => bench.remove());

/** Runs a line with git in it as a tool process does. */
const lines = async (...commands: string[]): Promise<string> => {
  const identity = {
    GIT_AUTHOR_NAME: 't',
    GIT_AUTHOR_EMAIL: 't@t',
    GIT_COMMITTER_NAME: 't',
    GIT_COMMITTER_EMAIL: 't@t',
  };
  const environment = { ...toolEnvironment(bench.path, identity), HOME: bench.outside };
  return (await bench.run('Bash', { command: commands.join('\n') }, { environment })).text;
};
const REPOSITORY = ['git init -q .', 'echo one > a', 'git add a', 'git commit -qm first'];
const PLANTED = (): string => join(bench.outside, 'planted');

describe('git in the environment of tool processes', () => {
  it('CP-338 works as ever in an ordinary repository', async () => {
    const text = await lines(
      ...REPOSITORY,
      'echo two >> a',
      'git status --short',
      'git log --format=%s',
      'git diff --stat',
    );
    expect(text).toContain(' M a\nfirst\n');
    expect(text).toContain('1 file changed');
  });

  it('CP-338 runs neither hooks nor the monitor of the repository', async () => {
    const hook = `printf '#!/bin/sh\\ntouch ${PLANTED()}\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`;
    const monitor = `git config core.fsmonitor 'touch ${PLANTED()}; false'; git config core.hooksPath .git/hooks`;
    const text = await lines(
      ...REPOSITORY,
      hook,
      monitor,
      'echo two > b',
      'git add b',
      'git commit -qm second; git log --format=%s',
    );
    expect(text).toContain('second\nfirst\n');
    expect(existsSync(PLANTED())).toBe(false);
  });

  it('CP-338 takes no folder for a repository in which its files lie bare', async () => {
    const config = `printf '[core]\\n\\tbare = false\\n\\tworktree = ..\\n\\tpager = touch ${PLANTED()}\\n[alias]\\n\\tst = !touch ${PLANTED()}\\n' > sub/config`;
    const text = await lines(
      ...REPOSITORY,
      'mkdir sub',
      'cp -r .git/HEAD .git/objects .git/refs sub/',
      config,
      'cd sub',
      'git st; git status; echo "code $?"',
    );
    expect(text).toMatch(/'st' is not a git command[^]*bare repository[^]*code 128/);
    expect(existsSync(PLANTED())).toBe(false);
    const unguarded = { ...toolEnvironment(bench.path, {}), HOME: bench.outside, GIT_CONFIG_COUNT: '0' };
    await bench.run('Bash', { command: 'cd sub; git st' }, { environment: unguarded });
    expect(existsSync(PLANTED())).toBe(true);
  });

  it('CP-338 has settings that no variable of the agent replaces', () => {
    const environment = toolEnvironment('/workspace', {
      GIT_CONFIG_COUNT: '0',
      GIT_CONFIG_KEY_0: 'x.y',
      FEATURE: 'on',
    });
    expect(environment).toMatchObject({
      GIT_CONFIG_COUNT: '3',
      GIT_CONFIG_KEY_0: 'safe.bareRepository',
      FEATURE: 'on',
    });
  });
});

describe('variables of the agent beside those of the network', () => {
  it('give way to them in whatever case they are written', () => {
    const agent = { NPM_CONFIG_REGISTRY: 'https://other.example/', npm_config_loglevel: 'warn' };
    const environment = toolEnvironment('/workspace', agent, { npm_config_registry: 'https://a.example/' });
    expect(environment).toMatchObject({ npm_config_registry: 'https://a.example/', npm_config_loglevel: 'warn' });
    expect(environment).not.toHaveProperty('NPM_CONFIG_REGISTRY');
  });
});
