import type { HarnessId } from '../../domain/harness/harness-models.js';

/** Settings of the operator that would change the demo, or let it touch things outside of it. */
const NOT_FOR_THE_DEMO =
  /^(SERVICE_(?!TEMPORAL_BIN$|SANDBOX_UID_BASE$|SANDBOX_IMAGE$|PROVIDER$|DOCKER_HOST$|DOCKER_RUNTIME$|LOG_LEVEL$)|DATABASE_URL|ANTHROPIC_|OPENAI_|SANDGATE_)/;

/** The scripted model refuses every other key. */
export const SCRIPTED_MODEL_KEY = 'the-key-of-the-scripted-model';

export interface DemoPlaces {
  readonly stateDir: string;
  readonly repository: string;
  readonly harness: HarnessId;
  /** Null for a demo without a model. */
  readonly modelUrl: string | null;
}

/** The environment of the demo's own installation: its own state, its own model, and its own folder as the only workspace root. */
export function demoEnvironment(
  base: NodeJS.ProcessEnv,
  { stateDir, repository, harness, modelUrl }: DemoPlaces,
): NodeJS.ProcessEnv {
  const kept = Object.entries(base).filter(([name]) => !NOT_FOR_THE_DEMO.test(name));
  return {
    ...Object.fromEntries(kept),
    SERVICE_DATA_DIR: stateDir,
    SERVICE_LOCAL_COPY_ROOTS: repository,
    SERVICE_DEFAULT_HARNESS: harness,
    ...(modelUrl === null ? {} : modelSettings(modelUrl)),
  };
}

/** The scripted model plays every provider. */
function modelSettings(url: string): Record<string, string> {
  return {
    SERVICE_LLM_ANTHROPIC_URL: url,
    ANTHROPIC_API_KEY: SCRIPTED_MODEL_KEY,
    SERVICE_LLM_OPENAI_URL: url,
    OPENAI_API_KEY: SCRIPTED_MODEL_KEY,
  };
}
