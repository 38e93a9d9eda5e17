import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';

/** How a part of a suite comes to the lab, with a folder of its own that runs may copy, before its first test. */
export type EnterLab<Lab> = () => Promise<{ lab: Lab; folder: string }>;

/** One lab for the parts of a suite: to start another one would cost more than most of their tests. */
export function shareLab<Lab extends { stop(): Promise<void> }>(
  start: (env: NodeJS.ProcessEnv) => Promise<Lab>,
): EnterLab<Lab> {
  const roots = mkdtempSync(join(tmpdir(), 'sg-lab-'));
  let lab: Lab | undefined;
  let parts = 0;
  beforeAll(async () => {
    lab = await start({ SERVICE_LOCAL_COPY_ROOTS: roots });
  });
  afterAll(async () => {
    await lab?.stop();
    rmSync(roots, { recursive: true, force: true });
  });
  return () => {
    if (lab === undefined) throw new Error('the lab has not been started');
    const folder = join(roots, `part-${(parts += 1)}`);
    mkdirSync(folder);
    return Promise.resolve({ lab, folder });
  };
}
