/** Settings of the operator that would make the demo something else than it promises, or touch what is not the demo's. */
const NOT_FOR_THE_DEMO =
  /^(SERVICE_(?!TEMPORAL_BIN$|SANDBOX_UID_BASE$|PROVIDER$|LOG_LEVEL$)|DATABASE_URL|ANTHROPIC_|SANDGATE_)/;

export interface DemoPlaces {
  readonly stateDir: string;
  readonly repository: string;
  readonly modelUrl: string;
}

/** The environment of the demo's own installation: its own state, its own model, and its own folder as the only workspace root. */
export function demoEnvironment(
  base: NodeJS.ProcessEnv,
  { stateDir, repository, modelUrl }: DemoPlaces,
): NodeJS.ProcessEnv {
  const kept = Object.entries(base).filter(([name]) => !NOT_FOR_THE_DEMO.test(name));
  return {
    ...Object.fromEntries(kept),
    SERVICE_DATA_DIR: stateDir,
    SERVICE_LOCAL_COPY_ROOTS: repository,
    SERVICE_LLM_ANTHROPIC_URL: modelUrl,
    ANTHROPIC_API_KEY: 'the-key-of-the-scripted-model',
  };
}
