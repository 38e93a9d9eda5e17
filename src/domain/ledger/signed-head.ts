import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { canonicalJson } from '../digest/canonical-json.js';

/** Binds the signature to this one use of the key. */
const CONTEXT = 'sandgate-ledger-head-v1';

/** What is signed: how far the ledger of one run reached, and the hash that commits to all of it. */
export interface HeadStatement {
  organization_id: string;
  session_id: string;
  seq: number;
  /** Hex of h(seq). */
  hash: string;
  key_id: string;
  /** ISO 8601, UTC, milliseconds. */
  signed_at: string;
}

export interface SignedHead extends HeadStatement {
  /** Hex of the Ed25519 signature. */
  signature: string;
}

/** Signs ledger heads; the key may live in a file or in a key management service. */
export interface HeadSigner {
  readonly keyId: string;
  readonly publicKeyPem: string;
  sign(statement: HeadStatement): Promise<SignedHead>;
}

/** A signer over a PKCS8 PEM Ed25519 key. */
export function createHeadSigner(privateKeyPem: string): HeadSigner {
  const privateKey = createPrivateKey(privateKeyPem);
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new TypeError('the ledger key must be an Ed25519 key');
  const publicKey = createPublicKey(privateKey);
  const keyId = keyIdOf(publicKey);
  return {
    keyId,
    publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign: (statement) =>
      Promise.resolve({ ...statement, signature: sign(null, signedBytes(statement), privateKey).toString('hex') }),
  };
}

export function verifyHead(head: SignedHead, publicKey: KeyObject): boolean {
  if (head.key_id !== keyIdOf(publicKey) || !/^[0-9a-f]{128}$/.test(head.signature)) return false;
  return verify(null, signedBytes(head), publicKey, Buffer.from(head.signature, 'hex'));
}

/** `ed25519:` and the first 16 hex digits of the SHA-256 of the public key's SPKI encoding. */
export function keyIdOf(publicKey: KeyObject): string {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return `ed25519:${createHash('sha256').update(spki).digest('hex').slice(0, 16)}`;
}

function signedBytes(head: HeadStatement): Buffer {
  const { organization_id, session_id, seq, hash, key_id, signed_at } = head;
  return Buffer.from(canonicalJson({ context: CONTEXT, organization_id, session_id, seq, hash, key_id, signed_at }));
}
