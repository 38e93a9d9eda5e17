import { loadClientConnectConfig } from '@temporalio/envconfig';
import { ConfigError } from './config-error.js';

export type TemporalConnectionOptions = ReturnType<typeof loadClientConnectConfig>['connectionOptions'];

/** What the standard Temporal client environment says, with the usual address where it names none. */
export function readTemporalConnection(env: NodeJS.ProcessEnv): {
  connection: TemporalConnectionOptions;
  namespace: string | undefined;
} {
  const variables = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  try {
    const { connectionOptions, namespace } = loadClientConnectConfig({
      overrideEnvVars: Object.fromEntries(variables),
    });
    return {
      connection: { ...connectionOptions, address: connectionOptions.address ?? '127.0.0.1:7233' },
      namespace,
    };
  } catch (error) {
    throw new ConfigError('TEMPORAL_*', `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
