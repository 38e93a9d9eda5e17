import { SandgateError } from '../../errors.js';

/** No zone has changed its clock twice within a week. */
const PROBE_SECS = 7 * 86_400;
const NUMBERS = /\d+/g;
/** What a schedule may still live through. */
const [FROM, UNTIL] = [Date.UTC(2026, 0, 1) / 1000, Date.UTC(2101, 0, 1) / 1000];

/**
 * The wall clock of one IANA zone. Instants are whole seconds since 1970 in UTC; wall times are the same count as if what the clock on
 * the wall shows were UTC.
 */
export class ZoneClock {
  private readonly format: Intl.DateTimeFormat;

  constructor(zone: string) {
    this.format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
  }

  private known: readonly number[] | undefined;

  /** Every offset that the clock shows from 2026 to 2100. */
  get offsets(): readonly number[] {
    if (this.known === undefined) {
      const weeks = Array.from(
        { length: Math.ceil((UNTIL - FROM) / PROBE_SECS) },
        (_, week) => FROM + week * PROBE_SECS,
      );
      this.known = [...new Set(weeks.map((week) => this.offsetAt(week)))];
    }
    return this.known;
  }

  /** By how many seconds the wall clock is ahead of UTC. */
  offsetAt(instant: number): number {
    const shown = this.format.format(instant * 1000).match(NUMBERS) ?? [];
    const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = shown.map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - instant;
  }

  /** The first instant after `from`, `until` included, at which the offset is another; null when there is none. */
  changeBetween(from: number, until: number): number | null {
    const before = this.offsetAt(from);
    for (let low = from; low < until;) {
      const high = Math.min(low + PROBE_SECS, until);
      if (this.offsetAt(high) !== before) return this.narrow(low, high, before);
      low = high;
    }
    return null;
  }

  private narrow(low: number, high: number, before: number): number {
    let [same, other] = [low, high];
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2);
      if (this.offsetAt(middle) === before) same = middle;
      else other = middle;
    }
    return other;
  }
}

/** Making a formatter costs as much as a hundred uses of it. */
const clocks = new Map<string, ZoneClock>();

/** @param zone as `canonicalZone` answers it */
export function zoneClock(zone: string): ZoneClock {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  const clock = new ZoneClock(zone);
  clocks.set(zone, clock);
  return clock;
}

/**
 * The name by which every implementation knows an IANA zone: in its usual case, and the target where the name is a link.
 *
 * @throws SandgateError `invalid_request` for anything else, offsets such as `+02:00` included
 */
export function canonicalZone(name: string): string {
  const text = name.trim();
  if (/^[A-Za-z]/.test(text)) {
    try {
      return new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions().timeZone;
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
    }
  }
  const shown = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  throw new SandgateError(
    'invalid_request',
    `schedule.timezone: ${shown} is not a time zone; write an IANA name such as Europe/Berlin or UTC`,
  );
}
