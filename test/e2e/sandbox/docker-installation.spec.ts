import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, jest } from '@jest/globals';
import { describeWithEngine } from '../../support/engine/describe-with-engine.js';
import { shareEngine } from '../../support/engine/share-engine.js';
import { QUICK_MAINTENANCE } from '../../support/installation/live-stack.js';
import { outlivesEngine } from '../faults/engine-away.part.js';
import { preparesInContainers } from '../setup/contained.part.js';
import { makeHostCache } from '../setup/host-cache.js';

jest.setTimeout(240_000);

const folder = mkdtempSync(join(tmpdir(), 'docker-installation-'));
const [cache, roots] = [join(folder, 'cache'), join(folder, 'roots')];
mkdirSync(roots);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeWithEngine('an installation on a container engine', () => {
  const enter = shareEngine({ ...QUICK_MAINTENANCE, ...makeHostCache(cache), SERVICE_LOCAL_COPY_ROOTS: roots });

  describe('commands that prepare a workspace', () => preparesInContainers(enter, cache, roots));
  describe('the engine is killed and comes back', () => outlivesEngine(enter));
});
