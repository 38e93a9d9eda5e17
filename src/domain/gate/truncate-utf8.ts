/** The longest beginning of a text that has at most `maxBytes` bytes of UTF-8 and splits no character. */
export function truncateUtf8(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.toWellFormed());
  if (bytes.length <= maxBytes) return bytes.toString();
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
