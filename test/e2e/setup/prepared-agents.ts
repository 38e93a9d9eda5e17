import type { FrozenSetup } from '../../../src/domain/run/spec.js';
import type { LiveStack } from '../../support/installation/live-stack.js';
import { eventsOf } from '../../support/installation/timeline.js';

/** A setup that adds to the workspace and to the home folder, and what an agent does that finds both and changes them. */
export const ADDS = { commands: ['mkdir deps && echo dep > deps/one && echo kept > ~/.toolrc'], cache: true };
export const LOOK = [{ tool: 'Bash', input: { command: 'cat deps/one ~/.toolrc > seen.txt; echo mine >> deps/one' } }];

/** `open` allows everything that does not say `forbidden`; `asking` asks about every command that is not a plain everyday one. */
export async function addSetupPolicies(stack: LiveStack): Promise<void> {
  const everyday = ['echo', 'cat', 'sleep', 'true', 'mkdir'];
  const shells = {
    open: { deny_regex: ['forbidden'], on_no_match: 'allow' },
    asking: { allow_prefixes: everyday, on_no_match: 'approve' },
  };
  for (const [name, shell] of Object.entries(shells)) {
    const tools = [{ match: ['Bash'], action: 'allow', shell }];
    const content = { name, defaults: { tool_action: 'allow' }, approvals: { default_ttl_secs: 600 }, tools };
    await stack.json('POST', '/v1/policies', { name, yaml: JSON.stringify(content) });
  }
}

/** An agent on the replay harness whose workspaces are prepared. */
export async function createPreparedAgent(
  stack: LiveStack,
  name: string,
  policy: string,
  setup: Partial<FrozenSetup> & Pick<FrozenSetup, 'commands'>,
  more: object = {},
): Promise<void> {
  const whole: FrozenSetup = { timeout_secs: 120, cache: false, ...setup };
  await stack.createReplayAgent(name, policy, { ...more, setup: whole });
}

/** The events of one kind in a run's timeline. */
export async function dataOf(stack: LiveStack, run: string, type: string): Promise<Record<string, unknown>[]> {
  return eventsOf(await stack.timeline(run), type);
}

/** The content of an artifact of a run, or nothing. */
export async function artifactOf(stack: LiveStack, run: string, name: string): Promise<string> {
  const { artifacts } = await stack.json<{ artifacts: { name: string; content: string }[] }>(
    'GET',
    `/v1/sessions/${run}/artifacts`,
  );
  return artifacts.find((artifact) => artifact.name === name)?.content ?? '';
}
