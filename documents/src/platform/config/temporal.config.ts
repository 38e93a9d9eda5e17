import { absolutePath, httpUrl, text } from '../../../../src/platform/config/readers.js';
import { setting } from '../../../../src/platform/config/setting.js';
import {
  readTemporalConnection,
  type TemporalConnectionOptions,
} from '../../../../src/platform/config/temporal-connection.js';

/** The driver: Temporal, in a namespace of its own. */
export class TemporalConfig {
  @setting({
    variable: 'DOCSVC_TEMPORAL_ADDRESS',
    read: text,
    default: null,
    defaultText: '127.0.0.1:7233',
    about:
      'Temporal server. Unset, `npm start -w documents` runs one of its own. `TEMPORAL_API_KEY`, `TEMPORAL_TLS_*`, `TEMPORAL_CONFIG_FILE` and `TEMPORAL_PROFILE` mean what they mean to every Temporal client; `TEMPORAL_ADDRESS` serves where this is unset.',
  })
  readonly configuredAddress!: string | null;

  @setting({
    variable: 'DOCSVC_TEMPORAL_NAMESPACE',
    read: text,
    default: 'docsvc',
    about:
      'Namespace of all workflows; `TEMPORAL_NAMESPACE` has no effect here, because it may be that of another product.',
  })
  readonly namespace!: string;

  @setting({
    variable: 'DOCSVC_TEMPORAL_BIN',
    read: absolutePath,
    default: null,
    about: 'The `temporal` program that `npm start -w documents` runs.',
  })
  readonly binary!: string | null;

  @setting({
    variable: 'DOCSVC_TEMPORAL_WEB_URL',
    read: httpUrl,
    default: null,
    about: 'Address of Temporal Web, printed by the start.',
  })
  readonly webUrl!: string | null;

  /** Options for `Connection.connect` and `NativeConnection.connect`: address, TLS, API key, metadata. */
  readonly connection!: TemporalConnectionOptions;

  get address(): string {
    return this.connection.address ?? '127.0.0.1:7233';
  }
}

/** The part of the section that Temporal's own library reads. */
export function readTemporalClient(env: NodeJS.ProcessEnv, address: string | null): Pick<TemporalConfig, 'connection'> {
  const own = address === null ? env : { ...env, TEMPORAL_ADDRESS: address };
  return { connection: readTemporalConnection(own).connection };
}
