import { ClientHelloReader, type HelloFinding } from './client-hello.js';

/** What a client sends next is no hello; nothing else in it tells which host is meant. */
export type SecondFinding = HelloFinding | { kind: 'none' };

const CHANGE_CIPHER_SPEC = 20;
const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const RECORD_HEADER = 5;
/** Type, length and version of a hello: no ciphertext looks like these by chance. */
const OPENING = 6;

/**
 * Looks at what a client sends after its hello. A server may ask for the hello again (RFC 8446 §4.1.4), and the second one names a
 * host in clear like the first. One change of cipher, sent for the sake of middleboxes, may stand before it.
 */
export class SecondHelloReader {
  private held: Buffer = Buffer.alloc(0);
  private hello: ClientHelloReader | null = null;
  private changed = false;

  push(chunk: Uint8Array): SecondFinding {
    if (this.hello !== null) return this.hello.push(chunk);
    this.held = Buffer.concat([this.held, chunk]);
    const [type] = this.held;
    if (type === CHANGE_CIPHER_SPEC && !this.changed) {
      if (this.held.length <= RECORD_HEADER) return { kind: 'more' };
      this.changed = true;
      const rest = this.held.subarray(RECORD_HEADER + 1);
      this.held = Buffer.alloc(0);
      return rest.length === 0 ? { kind: 'more' } : this.push(rest);
    }
    if (type !== HANDSHAKE_RECORD) return { kind: 'none' };
    if (this.held.length < RECORD_HEADER) return { kind: 'more' };
    return this.judgeRecord(this.held.readUInt16BE(3));
  }

  private judgeRecord(length: number): SecondFinding {
    const opening = this.held.subarray(RECORD_HEADER, RECORD_HEADER + Math.min(length, OPENING));
    if (opening.length > 0 && opening[0] !== CLIENT_HELLO) return { kind: 'none' };
    if (opening.length < Math.min(length, OPENING)) return { kind: 'more' };
    // A finished message under a cipher that was agreed on before may begin with the same byte.
    if (length >= OPENING && (opening[1] !== 0 || opening[4] !== 3)) return { kind: 'none' };
    this.hello = new ClientHelloReader();
    return this.hello.push(this.held);
  }
}
