/** A part that is to be sent: where, and how many bytes. */
export interface SentPart {
  url: string;
  bytes: number;
}

/** As many as the command line sends at once when nothing says otherwise. */
const AT_ONCE = 4;

/**
 * Sends parts, several at once, each from the start of one buffer.
 *
 * @returns bytes in a second
 */
export async function sendParts(
  parts: readonly SentPart[],
  source: Uint8Array<ArrayBuffer>,
  onSent: (bytes: number) => void = () => undefined,
  atOnce = AT_ONCE,
): Promise<number> {
  const begun = performance.now();
  const waiting = [...parts];
  let sent = 0;
  const sender = async (): Promise<void> => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      const answer = await fetch(part.url, { method: 'PUT', body: source.subarray(0, part.bytes) });
      const said = await answer.text();
      if (answer.status !== 200) throw new Error(`a part was refused: ${answer.status} ${said}`);
      sent += part.bytes;
      onSent(sent);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
  return (sent * 1000) / (performance.now() - begun);
}
