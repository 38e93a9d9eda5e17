/** What happens to bodies between their arrival and a check: what was done, and how to undo it. */
const WAYS: readonly (readonly [what: string, undo: (body: Buffer) => Buffer | null])[] = [
  [
    'it has a line break at its end that was not sent',
    (body) => changed(body, body.toString('latin1').replace(/[\r\n]+$/, '')),
  ],
  ['its line breaks were turned into CR LF', (body) => changed(body, body.toString('latin1').replaceAll('\r\n', '\n'))],
  ['it begins with a byte order mark that was not sent', withoutMark],
  ['it was parsed and written again as JSON; sign and save what came, before parsing', compact],
];

const MARK = Buffer.from('\uFEFF');

/**
 * How the body that is checked differs from the one that was signed, as far as it can be told; null when it cannot.
 *
 * @param fits whether a body is the one that was signed
 */
export function otherBytes(
  { headers, body }: { headers: Readonly<Record<string, string | undefined>>; body: Buffer },
  fits: (body: Buffer) => boolean,
): string | null {
  const way = WAYS.find(([, undo]) => {
    const before = undo(body);
    return before !== null && fits(before);
  });
  if (way !== undefined) return `the body is not what was sent: ${way[0]}`;
  const length = headers['content-length'];
  return length === undefined || Number(length) === body.length
    ? null
    : `the body is not what was sent: content-length is ${length}, and it has ${body.length} bytes`;
}

function changed(body: Buffer, text: string): Buffer | null {
  const other = Buffer.from(text, 'latin1');
  return other.equals(body) ? null : other;
}

function withoutMark(body: Buffer): Buffer | null {
  return body.subarray(0, MARK.length).equals(MARK) ? body.subarray(MARK.length) : null;
}

function compact(body: Buffer): Buffer | null {
  try {
    return changed(body, Buffer.from(JSON.stringify(JSON.parse(body.toString('utf8')))).toString('latin1'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
