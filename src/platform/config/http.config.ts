import { httpUrl, integer, listenAddress } from './readers.js';
import type { ListenAddress } from './readers.js';
import { setting } from './setting.js';

/** The listeners of the API process (docs/design/configuration.md). */
export class HttpConfig {
  @setting({
    variable: 'SERVICE_BIND',
    read: listenAddress,
    default: () => ({ host: '127.0.0.1', port: 8787 }),
    defaultText: '127.0.0.1:8787',
    about:
      'Public listener: `/v1` and, on a single host, `/internal`. `sandgate start` takes another free port when this one is taken and none was asked for.',
  })
  readonly bind!: ListenAddress;

  @setting({
    variable: 'SERVICE_INTERNAL_BIND',
    read: listenAddress,
    default: null,
    about:
      'A listener of its own for `/internal` only; the public one then answers 404. Without it, `/internal` stands on the public listener.',
  })
  readonly internalBind!: ListenAddress | null;

  @setting({
    variable: 'SERVICE_PUBLIC_URL',
    read: httpUrl,
    default: null,
    about:
      'Address under which people reach the public listener, for links that are handed out; unset, `SERVICE_BIND`.',
  })
  readonly publicUrl!: string | null;

  @setting({
    variable: 'SERVICE_MAX_REQUEST_BODY_BYTES',
    read: integer(1024, 1_073_741_824),
    default: 2_097_152,
    about: 'Largest request body in bytes on every listener; beyond it 413.',
  })
  readonly maxRequestBodyBytes!: number;
}
