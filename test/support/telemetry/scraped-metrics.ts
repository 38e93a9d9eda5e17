/** One scrape, read back: the values of all series, and the type of each metric. */
export interface ScrapedMetrics {
  /** Series as they stand in the text, for example `a_total{b="c"}`, with their values. */
  series: ReadonlyMap<string, number>;
  types: ReadonlyMap<string, string>;
  /** Sum over all series of the metric. */
  sum(name: string): number;
  /** Values that a label has anywhere. */
  labelValues(label: string): Set<string>;
}

export function readMetrics(text: string): ScrapedMetrics {
  const series = new Map<string, number>();
  const types = new Map<string, string>();
  for (const line of text.split('\n')) {
    const type = /^# TYPE (\S+) (\S+)$/.exec(line);
    if (type !== null) types.set(type[1]!, type[2]!);
    const sample = /^([a-zA-Z_:][\w:]*(?:\{.*\})?) (\S+)$/.exec(line);
    if (sample !== null) series.set(sample[1]!, Number(sample[2]));
    else if (line !== '' && !line.startsWith('#')) throw new Error(`not a line of the text format: ${line}`);
  }
  return {
    series,
    types,
    sum: (name) =>
      [...series].reduce((all, [key, value]) => (key === name || key.startsWith(`${name}{`) ? all + value : all), 0),
    labelValues: (label) =>
      new Set(
        [...series.keys()].flatMap((key) => new RegExp(`[{,]${label}="((?:[^"\\\\]|\\\\.)*)"`).exec(key)?.[1] ?? []),
      ),
  };
}
