import { startEngine } from './image-store.js';
import type { PodmanService } from './podman-service.js';
import { TOOLS_IMAGE } from './test-image.js';

/** What makes the sandboxes of suites that work with either: bubblewrap, or with `TEST_PROVIDER=docker` containers. */
export const TEST_PROVIDER = readProvider(process.env['TEST_PROVIDER']);

function readProvider(wanted = 'bubblewrap'): 'bubblewrap' | 'docker' {
  if (wanted === 'bubblewrap' || wanted === 'docker') return wanted;
  throw new Error(`TEST_PROVIDER is bubblewrap or docker, not ${wanted}`);
}

/** The settings with which an installation makes its sandboxes on an engine. */
export function engineSettings(engine: PodmanService, image: string): NodeJS.ProcessEnv {
  return {
    SERVICE_PROVIDER: 'docker',
    SERVICE_DOCKER_HOST: `unix://${engine.socket}`,
    SERVICE_SANDBOX_IMAGE: image,
  };
}

/** Of installations by the folder of their state: one that is started again on its folder finds its containers again. */
const ENGINES = new Map<string, Promise<PodmanService>>();

/** The engine of an installation, where {@link TEST_PROVIDER} wants one. @returns null for bubblewrap */
export async function engineOf(dataDir: string): Promise<PodmanService | null> {
  if (TEST_PROVIDER === 'bubblewrap') return null;
  const engine = ENGINES.get(dataDir) ?? startEngine(TOOLS_IMAGE);
  ENGINES.set(dataDir, engine);
  return engine;
}

/** Ends it with all its containers. */
export async function endEngineOf(dataDir: string): Promise<void> {
  const engine = await ENGINES.get(dataDir);
  ENGINES.delete(dataDir);
  await engine?.[Symbol.asyncDispose]();
}
