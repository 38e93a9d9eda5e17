import { afterAll, beforeAll } from '@jest/globals';
import { LiveStack } from './live-stack.js';

/** How a part of a suite comes to the installation, before its first test. No run of an earlier part goes on. */
export type EnterStack = () => Promise<LiveStack>;

/**
 * One installation for the parts of a suite: to start another one would cost more than most of them. Names of their agents, policies and
 * tools differ, and what they read of the database is of their own runs.
 *
 * @param env its settings, or what tells them once the hooks before it have run
 * @param withinMs for its start
 */
export function shareStack(env: NodeJS.ProcessEnv | (() => NodeJS.ProcessEnv) = {}, withinMs = 180_000): EnterStack {
  let stack: LiveStack | undefined;
  beforeAll(async () => {
    stack = await LiveStack.start(typeof env === 'function' ? env() : env);
  }, withinMs);
  afterAll(async () => {
    await stack?.stop();
  }, 120_000);
  return async () => {
    if (stack === undefined) throw new Error('the installation has not been started');
    await stack.endRuns();
    return stack;
  };
}
