import { key32, oneOf, text } from './readers.js';
import { setting } from './setting.js';

/** How secrets at rest are sealed, and what signs the ledger. */
export class SealConfig {
  @setting({
    variable: 'SERVICE_KMS_MODE',
    read: oneOf('off', 'static', 'aws'),
    default: 'off',
    about:
      'What wraps data keys: `static` uses `SERVICE_KMS_STATIC_KEK`; `off` seals in the legacy form with `SERVICE_CREDENTIAL_KEY`; `aws` is not in this version and refuses the boot. `sandgate start` runs `static` with a generated key.',
  })
  readonly kmsMode!: 'off' | 'static' | 'aws';

  @setting({
    variable: 'SERVICE_KMS_STATIC_KEK',
    read: key32,
    default: null,
    secret: true,
    about: 'Key-encryption key of mode `static`.',
  })
  readonly staticKek!: Buffer | null;

  @setting({
    variable: 'SERVICE_CREDENTIAL_KEY',
    read: key32,
    default: null,
    secret: true,
    about: 'Key of the legacy sealing form (version 1).',
  })
  readonly credentialKey!: Buffer | null;

  @setting({
    variable: 'SERVICE_LEDGER_KEY',
    read: text,
    default: null,
    secret: true,
    about:
      'Ed25519 private key (PKCS8 PEM) that signs ledger heads. `sandgate start` generates one in the data folder.',
  })
  readonly ledgerKey!: string | null;
}
