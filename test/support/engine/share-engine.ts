import { afterAll, beforeAll } from '@jest/globals';
import type { LiveStack } from '../installation/live-stack.js';
import { shareStack } from '../installation/share-stack.js';
import { MAKE_WITHIN_MS, startEngine } from './image-store.js';
import type { PodmanService } from './podman-service.js';
import { TEST_IMAGE } from './test-image.js';
import { engineSettings } from './test-provider.js';

/** How a part of a suite comes to the engine and the installation on it, before its first test. */
export type EnterEngine = () => Promise<{ engine: PodmanService; stack: LiveStack }>;

/** One container engine, and one installation on it, for the parts of a suite. */
export function shareEngine(env: NodeJS.ProcessEnv): EnterEngine {
  let engine: PodmanService | undefined;
  beforeAll(async () => {
    engine = await startEngine();
  }, MAKE_WITHIN_MS);
  const started = (): PodmanService => {
    if (engine === undefined) throw new Error('the engine has not been started');
    return engine;
  };
  const enter = shareStack(() => ({ ...engineSettings(started(), TEST_IMAGE), ...env }));
  afterAll(async () => {
    await engine?.[Symbol.asyncDispose]();
  }, 120_000);
  return async () => ({ engine: started(), stack: await enter() });
}
