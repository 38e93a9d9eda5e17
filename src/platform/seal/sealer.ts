import { SandgateError } from '../../domain/errors.js';
import { DATA_KEY_VERSION, type DataKeys } from './data-keys.js';
import { StaticKeyManagement, type KeyManagement } from './key-management.js';
import { decrypt, encrypt } from './xchacha.js';

/** Where a sealed value is stored. It opens there and nowhere else (version 2). */
export interface SealedPlace {
  organizationId: string;
  /** `table.column`. */
  column: string;
  /** Primary key of the row, its parts joined by `:`. */
  row: string;
}

export interface Sealed {
  bytes: Buffer;
  /** Goes into the companion `key_version` column, which alone decides how the bytes are read. */
  keyVersion: 1 | 2;
}

/** A value as it rests in a sealed column and its companion; key version 0, of inputs of tools alone, is clear text. */
export interface RestingValue {
  sealed: Buffer;
  keyVersion: number;
}

/** The purpose of a sealed text that leaves the system; it opens for that purpose alone (version 2). */
export type TransitPurpose = 'oauth-boot' | 'login' | 'codehost-app-flow';

export interface SealKeys {
  kmsMode: 'off' | 'static' | 'aws';
  staticKek: Buffer | null;
  /** SERVICE_CREDENTIAL_KEY: version 1. */
  credentialKey: Buffer | null;
}

const MARK = 0x02;
const HEADER_BYTES = 5;
/** Longer texts are refused before any work; those that are handed out are far shorter. */
const MAX_TRANSIT_BYTES = 4096;

/** Seals secrets at rest: version 2 with a data key per organization, version 1 with the deployment's legacy key. */
export class Sealer {
  constructor(
    private readonly dataKeys: DataKeys | null,
    private readonly credentialKey: Buffer | null,
  ) {}

  /** Whether anything can be sealed; without a key every route that would is 503. */
  get available(): boolean {
    return this.dataKeys !== null || this.credentialKey !== null;
  }

  /** @throws SandgateError `unavailable` when no key is configured */
  async seal(place: SealedPlace, plain: string | Buffer): Promise<Sealed> {
    const bytes = typeof plain === 'string' ? Buffer.from(plain, 'utf8') : plain;
    if (this.dataKeys !== null) {
      const header = writeHeader(DATA_KEY_VERSION);
      const key = await this.dataKeys.forSealing(place.organizationId);
      return { bytes: Buffer.concat([header, encrypt(key, bytes, associatedData(header, place))]), keyVersion: 2 };
    }
    return { bytes: encrypt(this.requireCredentialKey(), bytes), keyVersion: 1 };
  }

  /**
   * @throws SandgateError `unavailable` when the key of that version is not configured, `internal` when the value is
   * malformed, was altered, or stands in another place than it was sealed for
   */
  async open(place: SealedPlace, sealed: Buffer, keyVersion: number): Promise<Buffer> {
    if (keyVersion === 1) return unseal(() => decrypt(this.requireCredentialKey(), sealed));
    if (keyVersion !== 2) throw new SandgateError('internal', `sealed values of version ${keyVersion} are not known`);
    const header = readHeader(sealed);
    if (this.dataKeys === null) throw new SandgateError('unavailable', 'SERVICE_KMS_MODE: version 2 values need it');
    const key = await this.dataKeys.forOpening(place.organizationId);
    return unseal(() => decrypt(key, sealed.subarray(HEADER_BYTES), associatedData(header, place)));
  }

  /**
   * Seals a text that leaves and comes back, such as a link that is handed out: its version is read from its bytes, since no column
   * stands beside it (docs/design/sealing.md).
   *
   * @throws SandgateError `unavailable` when no key is configured
   */
  async sealTransit(organizationId: string, purpose: TransitPurpose, plain: string): Promise<Buffer> {
    const bytes = Buffer.from(plain, 'utf8');
    if (this.dataKeys === null) return encrypt(this.requireCredentialKey(), bytes);
    const header = writeHeader(DATA_KEY_VERSION);
    const key = await this.dataKeys.forSealing(organizationId);
    return Buffer.concat([header, encrypt(key, bytes, transitData(header, purpose))]);
  }

  /**
   * Opens what {@link sealTransit} sealed for that purpose; also what the legacy key sealed, while that is configured.
   *
   * @returns null for everything else: such texts come from anybody
   */
  async openTransit(organizationId: string, purpose: TransitPurpose, sealed: Buffer): Promise<string | null> {
    if (sealed.length > MAX_TRANSIT_BYTES) return null;
    const { dataKeys, credentialKey } = this;
    const header = sealed.subarray(0, HEADER_BYTES);
    if (dataKeys !== null && header.equals(writeHeader(DATA_KEY_VERSION))) {
      const key = await dataKeys.forOpening(organizationId);
      const opened = tryOpen(() => decrypt(key, sealed.subarray(HEADER_BYTES), transitData(header, purpose)));
      if (opened !== null) return opened;
    }
    return credentialKey === null ? null : tryOpen(() => decrypt(credentialKey, sealed));
  }

  /** Drops data keys from memory. */
  forget(): void {
    this.dataKeys?.forget();
  }

  private requireCredentialKey(): Buffer {
    if (this.credentialKey === null) {
      throw new SandgateError('unavailable', 'SERVICE_CREDENTIAL_KEY: no sealing key is configured');
    }
    return this.credentialKey;
  }
}

/** Null where data keys are off. Mode `aws` is refused at boot (core/seal/boot-checks). */
export function keyManagementOf(keys: SealKeys): KeyManagement | null {
  return keys.kmsMode === 'static' && keys.staticKek !== null ? new StaticKeyManagement(keys.staticKek) : null;
}

function writeHeader(dataKeyVersion: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(MARK, 0);
  header.writeUInt32BE(dataKeyVersion, 1);
  return header;
}

/** Malformed headers are refused before any database or key work. */
function readHeader(sealed: Buffer): Buffer {
  const header = sealed.subarray(0, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header.readUInt8(0) !== MARK || header.readUInt32BE(1) !== DATA_KEY_VERSION) {
    throw new SandgateError('internal', 'the sealed value is malformed');
  }
  return header;
}

function associatedData(header: Buffer, place: SealedPlace): Buffer {
  return Buffer.concat([header, Buffer.from(`svc:v2:${place.organizationId}:${place.column}:${place.row}`)]);
}

function transitData(header: Buffer, purpose: TransitPurpose): Buffer {
  return Buffer.concat([header, Buffer.from(`svc:v2:transit:${purpose}`)]);
}

function tryOpen(open: () => Buffer): string | null {
  try {
    return open().toString('utf8');
  } catch {
    // Not sealed by this key, or not sealed at all: the failure is the answer.
    return null;
  }
}

function unseal(open: () => Buffer): Buffer {
  try {
    return open();
  } catch (error) {
    if (error instanceof SandgateError) throw error;
    throw new SandgateError('internal', 'a sealed value could not be opened', { cause: error });
  }
}
