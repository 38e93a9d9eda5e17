import { absolutePath, httpUrl, text } from './readers.js';
import { setting } from './setting.js';
import { readTemporalConnection, type TemporalConnectionOptions } from './temporal-connection.js';

/**
 * The driver: Temporal. The connection comes from the standard Temporal client environment (`TEMPORAL_ADDRESS`,
 * `TEMPORAL_NAMESPACE`, `TEMPORAL_API_KEY`, `TEMPORAL_TLS_*`, `TEMPORAL_CONFIG_FILE` with `TEMPORAL_PROFILE`).
 */
export class TemporalConfig {
  @setting({
    variable: 'TEMPORAL_ADDRESS',
    read: text,
    default: null,
    defaultText: '127.0.0.1:7233',
    about:
      'Temporal server. Unset, `sandgate start` runs one of its own. `TEMPORAL_NAMESPACE`, `TEMPORAL_API_KEY`, `TEMPORAL_TLS_*`, `TEMPORAL_CONFIG_FILE` and `TEMPORAL_PROFILE` mean what they mean to every Temporal client.',
  })
  readonly configuredAddress!: string | null;

  @setting({
    variable: 'SERVICE_TEMPORAL_BIN',
    read: absolutePath,
    default: null,
    about: 'The `temporal` program that `sandgate start` runs.',
  })
  readonly binary!: string | null;

  @setting({
    variable: 'SERVICE_TEMPORAL_WEB_URL',
    read: httpUrl,
    default: null,
    about: 'Address of Temporal Web, printed beside a run.',
  })
  readonly webUrl!: string | null;

  /** Options for `Connection.connect` and `NativeConnection.connect`: address, TLS, API key, metadata. */
  readonly connection!: TemporalConnectionOptions;
  readonly namespace!: string;
  /** Queue of the control worker; hosts have `host-<id>` and `host-<id>-watch`. */
  readonly taskQueue!: 'sandgate';

  get address(): string {
    return this.connection.address ?? '127.0.0.1:7233';
  }
}

/** The part of the section that Temporal's own library reads. */
export function readTemporalClient(
  env: NodeJS.ProcessEnv,
): Pick<TemporalConfig, 'connection' | 'namespace' | 'taskQueue'> {
  const { connection, namespace } = readTemporalConnection(env);
  return { connection, namespace: namespace ?? 'default', taskQueue: 'sandgate' };
}
