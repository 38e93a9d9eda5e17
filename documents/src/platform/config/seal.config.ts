import { key32 } from '../../../../src/platform/config/readers.js';
import { setting } from '../../../../src/platform/config/setting.js';

/** How secrets at rest are sealed. */
export class SealConfig {
  @setting({
    variable: 'DOCSVC_SEAL_KEY',
    read: key32,
    default: null,
    secret: true,
    about:
      'Key that seals the secrets of webhooks, and from which the keys of cursors and signed addresses are derived. Without it, routes of webhooks and clients answer 503. `npm start -w documents` makes one in the data folder. API and worker need the same one.',
  })
  readonly key!: Buffer | null;
}
