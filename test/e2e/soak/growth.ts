/** Figures of one moment, by name; a figure that a process does not have is missing. */
export type Figures = Readonly<Record<string, number>>;

export interface Growth {
  figure: string;
  before: number;
  after: number;
  allowed: number;
}

const MIB = 1024 * 1024;
/** What a figure may gain between the two medians, in its own unit and as a share: the noise of what is in flight. */
const TOLERANCE: readonly { of: RegExp; share: number; plus: number }[] = [
  { of: /\.resident$/, share: 0.1, plus: 16 * MIB },
  { of: /\.heap$/, share: 0.15, plus: 16 * MIB },
  { of: /\.(descriptors|resources)$/, share: 0.1, plus: 16 },
  { of: /^connections\./, share: 0, plus: 2 },
];

/**
 * Figures that grew: whose median over the last quarter is above that over the second one, by more than their noise. The first
 * quarter is left to caches and pools that fill.
 *
 * @throws when a figure is missing from a sample, or has no tolerance: then nothing was watched
 */
export function findGrowth(samples: readonly Figures[]): Growth[] {
  if (samples.length < 8) throw new Error(`${samples.length} samples say nothing about growth`);
  const quarter = Math.floor(samples.length / 4);
  const second = samples.slice(quarter, 2 * quarter);
  const last = samples.slice(-quarter);
  return Object.keys(samples[0] ?? {}).flatMap((figure) => {
    const [before, after] = [medianOf(second, figure), medianOf(last, figure)];
    const allowed = before + slackOf(figure, before);
    return after > allowed ? [{ figure, before, after, allowed }] : [];
  });
}

function slackOf(figure: string, value: number): number {
  const tolerance = TOLERANCE.find(({ of }) => of.test(figure));
  if (tolerance === undefined) throw new Error(`no tolerance is known for ${figure}`);
  return value * tolerance.share + tolerance.plus;
}

function medianOf(samples: readonly Figures[], figure: string): number {
  const values = samples.map((sample) => {
    const value = sample[figure];
    if (value === undefined || Number.isNaN(value)) throw new Error(`a sample lacks ${figure}`);
    return value;
  });
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;
}
