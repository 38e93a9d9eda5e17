import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt, KEY_BYTES } from '../../../../src/platform/seal/xchacha.js';
import { DocsvcError } from '../../domain/errors.js';

/** Where a sealed value is stored. It opens there and nowhere else. */
export interface SealedPlace {
  orgId: string;
  /** `table.column`. */
  column: string;
  /** Primary key of the row. */
  row: string;
}

/** First byte of everything that is sealed: the form in which the rest is read. */
const FORM = 0x01;

/**
 * Seals secrets at rest with XChaCha20-Poly1305. Each organization has a key of its own, which is derived from the deployment's, and each
 * value is bound to the row and column in which it stands.
 */
export class Sealer {
  /** @param key the 32 bytes of DOCSVC_SEAL_KEY; null where there is none */
  constructor(private readonly key: Buffer | null) {}

  /** @throws DocsvcError `unavailable` when no key is configured */
  seal(place: SealedPlace, plain: string | Buffer): Buffer {
    const bytes = typeof plain === 'string' ? Buffer.from(plain, 'utf8') : plain;
    return Buffer.concat([Buffer.of(FORM), encrypt(this.keyOf(place.orgId), bytes, associatedData(place))]);
  }

  /**
   * @throws DocsvcError `unavailable` when no key is configured, `internal` when the value was sealed with another key, was altered, or
   *   stands in another place than it was sealed for
   */
  open(place: SealedPlace, sealed: Buffer): Buffer {
    const key = this.keyOf(place.orgId);
    if (sealed[0] !== FORM)
      throw new DocsvcError('internal', `the sealed value in ${place.column} is of no known form`);
    try {
      return decrypt(key, sealed.subarray(1), associatedData(place));
    } catch (cause) {
      throw new DocsvcError(
        'internal',
        `the sealed value in ${place.column} cannot be opened: DOCSVC_SEAL_KEY is not the one it was sealed with, or it was altered`,
        { cause },
      );
    }
  }

  /** @throws DocsvcError `unavailable` when no key is configured */
  require(): void {
    this.configured();
  }

  private keyOf(orgId: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.configured(), orgId, 'docsvc:sealed values', KEY_BYTES));
  }

  private configured(): Buffer {
    if (this.key === null) {
      throw new DocsvcError('unavailable', 'no sealing key is configured: the operator must set DOCSVC_SEAL_KEY');
    }
    return this.key;
  }
}

function associatedData({ orgId, column, row }: SealedPlace): Buffer {
  return Buffer.from(`docsvc:v${FORM}:${orgId}:${column}:${row}`);
}
