/** Pixels of a picture as its header states them; null where the header is not of PNG, JPEG, WebP or BMP, or is cut off. */
export function pictureSize(header: Buffer): { width: number; height: number } | null {
  if (header.length < 30) return null;
  if (header.readUInt32BE(0) === 0x89504e47) return { width: header.readUInt32BE(16), height: header.readUInt32BE(20) };
  if (header.readUInt16BE(0) === 0xffd8) return jpegSize(header);
  const four = header.toString('latin1', 0, 4);
  if (four === 'RIFF' && header.toString('latin1', 12, 16) === 'VP8X')
    return { width: header.readUIntLE(24, 3) + 1, height: header.readUIntLE(27, 3) + 1 };
  if (four.startsWith('BM'))
    return { width: Math.abs(header.readInt32LE(18)), height: Math.abs(header.readInt32LE(22)) };
  return null;
}

function jpegSize(header: Buffer): { width: number; height: number } | null {
  for (let at = 2; at + 9 < header.length;) {
    const marker = header.readUInt16BE(at);
    if (marker < 0xff01) return null;
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return { width: header.readUInt16BE(at + 7), height: header.readUInt16BE(at + 5) };
    at += 2 + header.readUInt16BE(at + 2);
  }
  return null;
}
