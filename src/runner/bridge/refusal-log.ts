/** Refused connections that are told to whoever started what asked for them. */
const MAX_TOLD = 5;
const MAX_KEPT = 1_000;

interface Refusal {
  target: string;
  words: string;
}

/** Connections that the run's proxy refused, in order: tools print a status and nothing of why. */
export class RefusalLog {
  private readonly kept: Refusal[] = [];
  private total = 0;

  note(target: string, words: string): void {
    this.total += 1;
    this.kept.push({ target, words });
    if (this.kept.length > MAX_KEPT) this.kept.shift();
  }

  /** How many there were so far: what {@link since} begins with. */
  get mark(): number {
    return this.total;
  }

  /** What was refused since the mark, as a line for a model; null when nothing was. */
  since(mark: number): string | null {
    const count = this.total - mark;
    if (count === 0) return null;
    const recent = this.kept.slice(-Math.min(count, this.kept.length));
    const distinct = [...new Map(recent.map((one) => [`${one.target} ${one.words}`, one])).values()];
    const told = distinct.slice(0, MAX_TOLD).map(({ target, words }) => `${target} — ${words}`);
    const more = distinct.length > MAX_TOLD ? `; and ${distinct.length - MAX_TOLD} more` : '';
    const connections = count === 1 ? '1 connection was' : `${count} connections were`;
    return `sandgate: ${connections} refused while this ran: ${told.join('; ')}${more}`;
  }
}
