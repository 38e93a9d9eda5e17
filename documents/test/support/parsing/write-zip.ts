import { closeSync, openSync, writeSync } from 'node:fs';
import { constants, crc32, deflateRawSync } from 'node:zlib';

/** One entry of an archive that is written for a test: what it says of itself need not be true. */
export interface ZipEntry {
  name: string;
  /** Compressed bytes. */
  data: Buffer;
  crc: number;
  size: number;
}

export function zipEntry(name: string, content: string | Buffer): ZipEntry {
  const bytes = Buffer.from(content);
  return { name, data: deflateRawSync(bytes), crc: crc32(bytes), size: bytes.length };
}

/** An entry that is `times` times `block` when it is inflated, made without inflating it. */
export function repeatedEntry(name: string, block: Buffer, times: number): ZipEntry {
  const once = deflateRawSync(block, { finishFlush: constants.Z_FULL_FLUSH, level: 1 });
  let crc = 0;
  for (let count = 0; count < times; count++) crc = crc32(block, crc);
  // Flushed blocks stand beside each other; an empty one ends the stream.
  const data = Buffer.concat([...Array.from({ length: times }, () => once), Buffer.from([0x03, 0x00])]);
  return { name, data, crc, size: block.length * times };
}

export function writeZip(path: string, entries: readonly ZipEntry[]): void {
  const file = openSync(path, 'w', 0o644);
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(entry.crc, 10);
    common.writeUInt32LE(entry.data.length, 14);
    common.writeUInt32LE(entry.size, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, name]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, rest, name]));
    writeSync(file, local);
    writeSync(file, entry.data);
    offset += local.length + entry.data.length;
  }
  const entriesBytes = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 8);
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 10);
  end.writeUInt32LE(entriesBytes.length, 12);
  end.writeUInt32LE(offset, 16);
  writeSync(file, entriesBytes);
  writeSync(file, end);
  closeSync(file);
}
