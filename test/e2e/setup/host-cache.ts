import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { LiveStack } from '../../support/installation/live-stack.js';
import { artifactOf, createPreparedAgent } from './prepared-agents.js';

const INSIDE = '/opt/caches/packages';
const LOOK = `cat ${INSIDE}/one; { echo more >> ${INSIDE}/one; } 2>&1; touch ${INSIDE}/two 2>&1; grep -c " ${INSIDE} ro," /proc/self/mountinfo`;

/** A cache of this host with one package. @returns the settings of an installation whose sandboxes may read it */
export function makeHostCache(folder: string): { SERVICE_SANDBOX_CACHES: string } {
  mkdirSync(folder);
  writeFileSync(join(folder, 'one'), 'a package\n');
  // Whoever may change them outside may not do it inside.
  chmodSync(folder, 0o777);
  chmodSync(join(folder, 'one'), 0o666);
  return { SERVICE_SANDBOX_CACHES: `packages=${folder}` };
}

/** Has the setup and the agent of a run read the cache, and both try to change it. */
export async function expectReadAlone(stack: LiveStack, folder: string): Promise<void> {
  await createPreparedAgent(stack, 'reading', 'open', { commands: [`{ ${LOOK}; } > prepared.txt; true`] });
  const run = await stack.startRun('reading', [{ tool: 'Bash', input: { command: `{ ${LOOK}; } > seen.txt` } }]);
  expect(await stack.untilTerminal(run)).toMatchObject({ status: 'completed' });
  const diff = await artifactOf(stack, run, 'changes.patch');
  for (const file of ['prepared.txt', 'seen.txt']) {
    const [, added = ''] = diff.split(`+++ b/${file}\n`);
    expect(added).toMatch(/^@@.*\n\+a package\n(\+.*Read-only file system\n){2}\+1\n/);
  }
  expect([readdirSync(folder), readFileSync(join(folder, 'one'), 'utf8')]).toEqual([['one'], 'a package\n']);
}
