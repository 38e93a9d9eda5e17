import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { connect } from 'node:tls';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  extension,
  helloBody,
  helloOf,
  inRecords,
  message,
  serverName,
} from '../../../test/support/network/client-hellos.js';
import { ClientHelloReader, MAX_HELLO_BYTES, type HelloFinding } from './client-hello.js';
import { SecondHelloReader } from './second-hello.js';

const NAME = 'registry.example.com';

function read(...chunks: Uint8Array[]): HelloFinding {
  const reader = new ClientHelloReader();
  let finding: HelloFinding = { kind: 'more' };
  for (const chunk of chunks) finding = reader.push(chunk);
  return finding;
}

/** The first bytes of Node's own client. */
async function realHello(servername: string, maxVersion: 'TLSv1.2' | 'TLSv1.3'): Promise<Buffer> {
  const stream = new PassThrough();
  const sent = new PassThrough();
  const duplex = Object.assign(stream, { write: sent.write.bind(sent) });
  const client = connect({ socket: duplex, servername, maxVersion, rejectUnauthorized: false });
  client.on('error', () => undefined);
  const [bytes] = (await once(sent, 'data')) as [Buffer];
  client.destroy();
  return bytes;
}

describe('the hello of a TLS client', () => {
  let real: Buffer[];
  beforeAll(async () => {
    real = [await realHello(NAME, 'TLSv1.2'), await realHello(NAME, 'TLSv1.3')];
  });

  it('names its server, whoever wrote it', () => {
    for (const hello of [...real, helloOf([serverName(NAME)])])
      expect(read(hello)).toEqual({ kind: 'name', name: NAME });
    expect(read(helloOf([serverName('Registry.EXAMPLE.com')]))).toEqual({ kind: 'name', name: NAME });
  });

  it('is read the same wherever it is cut', () => {
    for (const hello of [...real, inRecords(message(helloBody([serverName(NAME)])), 7)]) {
      for (let cut = 0; cut <= hello.length; cut += 1) {
        const first = read(hello.subarray(0, cut));
        expect(first.kind).toBe(cut < hello.length ? 'more' : 'name');
        expect(read(hello.subarray(0, cut), hello.subarray(cut))).toEqual({ kind: 'name', name: NAME });
      }
      expect(read(...Array.from(hello, (byte) => Uint8Array.of(byte)))).toEqual({ kind: 'name', name: NAME });
    }
  });

  it('may be spread over records of any size', () => {
    for (const size of [1, 2, 3, 4, 5, 17, 64, 500])
      expect(read(inRecords(message(helloBody([serverName(NAME)])), size))).toEqual({ kind: 'name', name: NAME });
  });

  it('may be followed by other records, which are not looked at', () => {
    const followed = Buffer.concat([helloOf([serverName(NAME)]), Buffer.from([20, 3, 3, 0, 1, 1])]);
    expect(read(followed)).toEqual({ kind: 'name', name: NAME });
  });

  const twoNames = Buffer.concat([serverName(NAME).subarray(6), serverName('other.example').subarray(6)]);
  const body = helloBody([serverName(NAME)]);
  it.each<[string, string, Buffer]>([
    ['no extensions at all', 'no_sni', inRecords(message(helloBody(null)))],
    ['no name', 'no_sni', helloOf([])],
    [
      'two names in one extension',
      'no_sni',
      helloOf([extension(0, Buffer.concat([uint16(twoNames.length), twoNames]))]),
    ],
    ['two extensions with a name', 'malformed', helloOf([serverName(NAME), serverName('other.example')])],
    ['any extension twice', 'malformed', helloOf([extension(23), serverName(NAME), extension(23)])],
    ['a name of another kind', 'malformed', helloOf([serverName(NAME, 1)])],
    ['an empty name', 'malformed', helloOf([serverName('')])],
    ['an empty list of names', 'malformed', helloOf([extension(0, Buffer.from([0, 0]))])],
    [
      'more behind the list of names',
      'malformed',
      helloOf([extension(0, Buffer.concat([serverName(NAME).subarray(4), Buffer.from([0])]))]),
    ],
    ['a name with a dot at its end', 'malformed', helloOf([serverName(`${NAME}.`)])],
    ['a name with a zero', 'malformed', helloOf([serverName(`${NAME}\0.other.example`)])],
    ['a name beyond ASCII', 'malformed', helloOf([serverName('bücher.example')])],
    ['a name with a port', 'malformed', helloOf([serverName(`${NAME}:443`)])],
    ['a name of 256 characters', 'malformed', helloOf([serverName('a'.repeat(256))])],
    ['an encrypted hello', 'ech', helloOf([serverName(NAME), extension(0xfe0d, Buffer.alloc(40))])],
    ['an encrypted hello of a draft', 'ech', helloOf([extension(0xfe0a, Buffer.alloc(40)), serverName(NAME)])],
    ['an encrypted name', 'ech', helloOf([extension(0xffce, Buffer.alloc(40))])],
    ['early data', 'early_data', helloOf([serverName(NAME), extension(42)])],
    ['another message', 'malformed', inRecords(message(body, 2))],
    ['an empty message', 'malformed', inRecords(message(Buffer.alloc(0)))],
    ['an empty record', 'malformed', Buffer.concat([Buffer.from([22, 3, 1, 0, 0]), helloOf([serverName(NAME)])])],
    ['a record that is too long', 'malformed', Buffer.from([22, 3, 1, 0x40, 1])],
    [
      'a record of another kind in between',
      'malformed',
      Buffer.concat([inRecords(message(body), 20).subarray(0, 25), Buffer.from([23, 3, 3, 0, 1, 0])]),
    ],
    ['a version before TLS', 'malformed', inRecords(message(body), 0x4000, 0)],
    ['a version of later', 'malformed', inRecords(message(body), 0x4000, 4)],
    ['a hello of SSL 2', 'malformed', Buffer.from([0x80, 0x2e, 1, 3, 1])],
    ['more in the record of the hello', 'malformed', inRecords(Buffer.concat([message(body), Buffer.from([1])]))],
    ['a length that is too short', 'malformed', inRecords(message(body.subarray(0, -1)))],
    ['more behind the extensions', 'malformed', inRecords(message(Buffer.concat([body, Buffer.from([0])])))],
    ['a message that is too long', 'too_long', inRecords(Buffer.from([1, 1, 0, 0]))],
    ['HTTP', 'malformed', Buffer.from('GET / HTTP/1.1\r\n')],
  ])('with %s is refused: %s', (_what, fault, bytes) => {
    expect(read(bytes)).toEqual({ kind: 'refused', fault });
    expect(read(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual({ kind: 'refused', fault });
  });

  it('that goes on and on is refused, in records of one byte as well', () => {
    const long = message(helloBody([serverName(NAME), extension(21, Buffer.alloc(MAX_HELLO_BYTES - 200))]));
    expect(read(inRecords(long))).toMatchObject({ kind: 'name' });
    expect(read(inRecords(long, 1))).toEqual({ kind: 'refused', fault: 'too_long' });
  });

  it('is read without fail, whatever the bytes are', () => {
    const hello = helloOf([serverName(NAME)]);
    fc.assert(
      fc.property(fc.nat(hello.length - 1), fc.nat(255), (at, byte) => {
        const bent = Buffer.from(hello);
        bent[at] = byte;
        const finding = read(bent);
        if (finding.kind === 'name') expect(finding.name).toMatch(/^[a-z0-9._-]+$/);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('what a client sends after its hello', () => {
  const second = (...chunks: Uint8Array[]): unknown => {
    const reader = new SecondHelloReader();
    return chunks.map((chunk) => reader.push(chunk)).at(-1);
  };
  const change = Buffer.from([20, 3, 3, 0, 1, 1]);
  const cancelled = Buffer.from([21, 3, 3, 0, 2, 1, 90]);
  const again = helloOf([serverName('other.example')]);

  it('is another hello when the server asked for one, wherever it is cut', () => {
    for (const bytes of [
      again,
      Buffer.concat([change, again]),
      Buffer.concat([change, cancelled, change, again]),
      inRecords(message(helloBody([serverName('other.example')])), 3),
    ]) {
      for (let cut = 0; cut < bytes.length; cut += 1)
        expect(second(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual({ kind: 'name', name: 'other.example' });
    }
  });

  it.each<[string, Buffer]>([
    ['encrypted data', Buffer.from([23, 3, 3, 0, 40])],
    ['a key of TLS 1.2', Buffer.from([22, 3, 3, 0, 70, 16, 0, 0, 66])],
    ['a certificate of TLS 1.2', Buffer.from([22, 3, 3, 1, 0, 11, 0, 0])],
    ['the end of a resumed handshake', Buffer.concat([change, Buffer.from([22, 3, 3, 0, 40, 1, 0x9a, 3, 4, 5, 6])])],
  ])('is %s, which names nobody', (_what, bytes) => {
    expect(second(bytes)).toEqual({ kind: 'none' });
    expect(second(...Array.from(bytes.subarray(0, 17), (byte) => Uint8Array.of(byte)))).toEqual({ kind: 'none' });
  });

  it('may be sent on as far as it is alerts and changes of cipher, of which no host takes many', () => {
    const reader = new SecondHelloReader();
    expect(reader.push(Buffer.concat([change, cancelled, again.subarray(0, 20)]))).toEqual({ kind: 'more' });
    expect(reader.passed).toBe(change.length + cancelled.length);
    const many = Buffer.concat(Array.from({ length: 65 }, () => change));
    expect(second(many.subarray(0, -1))).toEqual({ kind: 'more' });
    expect(second(many)).toEqual({ kind: 'refused', fault: 'too_long' });
  });
});

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 255]);
}
