import { networks } from '../../../../src/platform/config/egress-readers.js';
import { httpUrl, integer, listenAddress } from '../../../../src/platform/config/readers.js';
import type { ListenAddress } from '../../../../src/platform/config/readers.js';
import { setting } from '../../../../src/platform/config/setting.js';

/** The listener of the API process. */
export class HttpConfig {
  @setting({
    variable: 'DOCSVC_BIND',
    read: listenAddress,
    default: () => ({ host: '127.0.0.1', port: 8790 }),
    defaultText: '127.0.0.1:8790',
    about:
      'Where the API listens. `npm start -w documents` takes another free port when this one is taken and none was asked for.',
  })
  readonly bind!: ListenAddress;

  @setting({
    variable: 'DOCSVC_PUBLIC_URL',
    read: httpUrl,
    default: null,
    about: 'Address under which clients reach the API, for addresses that are handed out; unset, `DOCSVC_BIND`.',
  })
  readonly publicUrl!: string | null;

  @setting({
    variable: 'DOCSVC_TRUSTED_PROXIES',
    read: networks,
    default: () => Object.freeze([]),
    defaultText: 'none',
    about:
      'Networks of the proxies in front of the API. Wrong secrets are counted by the address that they tell in `x-forwarded-for`, the last one there ' +
      'that is no proxy; whoever comes from elsewhere counts by the peer of the connection.',
  })
  readonly trustedProxies!: readonly string[];

  @setting({
    variable: 'DOCSVC_MAX_JSON_BYTES',
    read: integer(1024, 33_554_432),
    default: 1_048_576,
    about:
      'Largest JSON body of a request in bytes; beyond it 413. Parts of uploads are not JSON and have limits of their own.',
  })
  readonly maxJsonBytes!: number;
}
