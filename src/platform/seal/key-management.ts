import { createHash } from 'node:crypto';
import { decrypt, encrypt, KEY_BYTES } from './xchacha.js';

/** Wraps and unwraps data keys of organizations: the one place that knows the key-encryption key (docs/design/sealing.md). */
export interface KeyManagement {
  /** Stored with each wrapped key; a key that another key-encryption key wrapped is refused, never tried. */
  readonly kekId: string;
  wrap(organizationId: string, version: number, dataKey: Buffer): Promise<Buffer>;
  unwrap(organizationId: string, version: number, wrapped: Buffer): Promise<Buffer>;
}

/** Mode `static`: the key-encryption key is configuration of this deployment. */
export class StaticKeyManagement implements KeyManagement {
  readonly kekId: string;

  constructor(private readonly kek: Buffer) {
    if (kek.length !== KEY_BYTES) throw new RangeError(`a key-encryption key has ${KEY_BYTES} bytes`);
    this.kekId = `static:${createHash('sha256').update(kek).digest('hex').slice(0, 16)}`;
  }

  wrap(organizationId: string, version: number, dataKey: Buffer): Promise<Buffer> {
    return Promise.resolve(encrypt(this.kek, dataKey, associatedData(organizationId, version)));
  }

  unwrap(organizationId: string, version: number, wrapped: Buffer): Promise<Buffer> {
    return Promise.resolve(decrypt(this.kek, wrapped, associatedData(organizationId, version)));
  }
}

function associatedData(organizationId: string, version: number): Buffer {
  return Buffer.from(`svc:kek:${organizationId}:service-dek:v${version}`);
}
