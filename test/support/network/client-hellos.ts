/** A hello of a TLS client with these extensions, in one record. */
export function helloOf(extensions: readonly Buffer[]): Buffer {
  return inRecords(message(helloBody(extensions)));
}

/** @param extensions null: not even a list of none */
export function helloBody(extensions: readonly Buffer[] | null): Buffer {
  const fixed = [
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    Buffer.from([0]),
    Buffer.from([0, 2, 0x13, 1]),
    Buffer.from([1, 0]),
  ];
  if (extensions === null) return Buffer.concat(fixed);
  const block = Buffer.concat(extensions);
  return Buffer.concat([...fixed, uint16(block.length), block]);
}

export function message(body: Buffer, type = 1): Buffer {
  return Buffer.concat([Buffer.from([type, body.length >> 16]), uint16(body.length & 0xffff), body]);
}

/** The message in records of at most `size` bytes each. */
export function inRecords(bytes: Buffer, size = 0x4000, minorVersion = 1): Buffer {
  const records: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    records.push(Buffer.from([22, 3, minorVersion]), uint16(part.length), part);
  }
  return Buffer.concat(records);
}

export function extension(type: number, data: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([uint16(type), uint16(data.length), data]);
}

/** The extension that names one server. */
export function serverName(name: string, kind = 0): Buffer {
  const bytes = Buffer.from(name);
  const entry = Buffer.concat([Buffer.from([kind]), uint16(bytes.length), bytes]);
  return extension(0, Buffer.concat([uint16(entry.length), entry]));
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 255]);
}
