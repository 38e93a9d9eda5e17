import pc from 'picocolors';

type Colours = ReturnType<typeof pc.createColors>;

/** Colours only on a terminal, and none when NO_COLOR is set (to anything but nothing). */
export function coloursFor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): Colours {
  const wanted = stream.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  return pc.createColors(wanted);
}

export type { Colours };
