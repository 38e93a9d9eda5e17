import { Cron } from 'croner';
import { isEvery, parseCron, runsOf, type CronField, type CronFields } from './cron-fields.js';
import { canonicalZone, zoneClock, type ZoneClock } from './zone-clock.js';

/** Longer than any repeated stretch of wall time. */
const REPEATED_SECS = 26 * 3600;
const ORDER: readonly CronField[] = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek', 'year'];

/**
 * When a cron expression fires in a zone. The calendar is searched by the library `croner`, in wall time and so without any change of
 * clocks; its own way with those (a time that does not exist moves to the end of the gap) is not ours. Here wall time is brought to
 * instants: what does not exist is skipped, and what occurs twice fires at its first occurrence when the hours are restricted, at
 * both when they are not (docs/design/schedules.md).
 */
export class FiringTimes {
  readonly fields: CronFields;
  /** The canonical name of the zone. */
  readonly timezone: string;
  private readonly calendar: Cron;
  private readonly clock: ZoneClock;
  private readonly firesOnce: boolean;

  /** @throws SandgateError `invalid_request` for an expression or a zone that cannot be read */
  constructor(cron: string, timezone: string) {
    this.fields = parseCron(cron);
    this.timezone = canonicalZone(timezone);
    this.clock = zoneClock(this.timezone);
    this.calendar = new Cron(patternOf(this.fields), { mode: '7-part', utcOffset: 0, domAndDow: true });
    this.firesOnce = !isEvery('hour', this.fields);
  }

  /** By how many seconds the wall clock of the zone is ahead of UTC from now on, each once. */
  get offsets(): readonly number[] {
    return this.clock.offsets;
  }

  /** The first firing strictly after an instant; null when there is none up to the end of the year 2100. */
  next(after: Date): Date | null {
    const instant = this.nextInstant(Math.floor(after.getTime() / 1000));
    return instant === null ? null : new Date(instant * 1000);
  }

  /** The next firings, at most `count`. */
  upcoming(after: Date, count: number): Date[] {
    const firings: Date[] = [];
    for (let last = this.next(after); last !== null && firings.length < count; last = this.next(last))
      firings.push(last);
    return firings;
  }

  /**
   * Goes through the stretches of time between changes of the clock until the next matching wall time lies in one of them. Wall times
   * that are shown again after a change are searched once more where some of them had already passed at `after`; of the others it is
   * known that they do not match.
   */
  private nextInstant(after: number): number | null {
    let [from, offset] = [after, this.clock.offsetAt(after)];
    const passed = this.firesOnce ? this.furthestWall(after, offset) : after + offset;
    let wall = this.nextWall(passed);
    for (;;) {
      const target = wall === null ? from + REPEATED_SECS : wall - offset;
      const change = this.clock.changeBetween(from, target);
      if (change === null) return wall === null ? null : target;
      [from, offset] = [change, this.clock.offsetAt(change)];
      const shown = change + offset;
      const isRepeated = !this.firesOnce && shown <= passed;
      const isSkipped = wall !== null && wall < shown;
      if (isRepeated || isSkipped) wall = this.nextWall(shown - 1);
    }
  }

  /** The furthest that the clock on the wall has been; further than now while it repeats itself. */
  private furthestWall(instant: number, offset: number): number {
    const earlier = instant - REPEATED_SECS;
    const change = this.clock.changeBetween(earlier, instant);
    const now = instant + offset;
    return change === null ? now : Math.max(now, change + this.clock.offsetAt(earlier) - 1);
  }

  private nextWall(after: number): number | null {
    const found = this.calendar.nextRun(new Date(after * 1000));
    return found === null ? null : found.getTime() / 1000;
  }
}

/** The expression with every number written out, in a form that means the same to every reader of cron. */
function patternOf(fields: CronFields): string {
  return ORDER.map((field) => runsOf(fields[field]).map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)))
    .map((runs) => runs.join(','))
    .join(' ');
}
