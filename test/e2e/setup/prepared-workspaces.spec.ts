import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, jest } from '@jest/globals';
import { QUICK_MAINTENANCE } from '../../support/installation/live-stack.js';
import { shareStack } from '../../support/installation/share-stack.js';
import { preparesOnce } from './cold.part.js';
import { makeHostCache } from './host-cache.js';
import { addSetupPolicies } from './prepared-agents.js';
import { preparesAgain } from './warm.part.js';

jest.setTimeout(240_000);

/** Only root can lay one file system beneath another, so elsewhere every run is prepared anew. */
const describeKept = process.getuid?.() === 0 ? describe : describe.skip;

describe('workspaces that are prepared, on one installation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'prepared-workspaces-'));
  const [cache, roots] = [join(folder, 'cache'), join(folder, 'roots')];
  mkdirSync(roots);
  const enter = shareStack({ ...QUICK_MAINTENANCE, ...makeHostCache(cache), SERVICE_LOCAL_COPY_ROOTS: roots });
  beforeAll(async () => addSetupPolicies(await enter()));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe('commands that prepare a workspace', () => preparesOnce(enter, cache));
  describeKept('the second run of a repository', () => preparesAgain(enter, roots));
});
