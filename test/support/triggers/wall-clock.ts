import type { WrittenCron } from './cron-arbitraries.js';

/** What the clock on the wall shows, as `Intl` says it for one instant. */
export interface WallTime {
  instant: number;
  second: number;
  minute: number;
  hour: number;
  dayOfMonth: number;
  month: number;
  dayOfWeek: number;
  year: number;
  /** The same was shown earlier. */
  isSecondCopy: boolean;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
/** No clock goes back by more. */
const EARLIER_SECS = 2 * 3600;
const QUARTER_SECS = 900;

/** Reads the wall clock of a zone, instant by instant. */
export function wallReader(zone: string): (instant: number) => Omit<WallTime, 'isSecondCopy'> {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, calendar: 'iso8601', hourCycle: 'h23', weekday: 'short' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  return (instant) => {
    const parts = new Map(format.formatToParts(instant * 1000).map(({ type, value }) => [type, value]));
    const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
    return {
      ...{ instant, second: number('second'), minute: number('minute'), hour: number('hour') },
      ...{ dayOfMonth: number('day'), month: number('month'), year: number('year') },
      dayOfWeek: WEEKDAYS.indexOf(parts.get('weekday') ?? ''),
    };
  };
}

/** Like {@link wallReader}, for many instants: a quarter of an hour at whose ends the clock is as far ahead is read by counting. */
function countingReader(zone: string): ReturnType<typeof wallReader> {
  const read = wallReader(zone);
  const ends = new Map<number, number>();
  const aheadAt = (quarter: number): number => {
    const ahead = ends.get(quarter) ?? aheadOf(read(quarter * QUARTER_SECS));
    ends.set(quarter, ahead);
    return ahead;
  };
  return (instant) => {
    const quarter = Math.floor(instant / QUARTER_SECS);
    const ahead = aheadAt(quarter);
    return ahead === aheadAt(quarter + 1) ? shownAhead(instant, ahead) : read(instant);
  };
}

/** Seconds by which what is shown is ahead of UTC. */
function aheadOf(wall: Omit<WallTime, 'isSecondCopy'>): number {
  const { instant, year, month, dayOfMonth, hour, minute, second } = wall;
  return Date.UTC(year, month - 1, dayOfMonth, hour, minute, second) / 1000 - instant;
}

function shownAhead(instant: number, ahead: number): Omit<WallTime, 'isSecondCopy'> {
  const shown = new Date((instant + ahead) * 1000);
  return {
    ...{ instant, second: shown.getUTCSeconds(), minute: shown.getUTCMinutes(), hour: shown.getUTCHours() },
    ...{ dayOfMonth: shown.getUTCDate(), month: shown.getUTCMonth() + 1, year: shown.getUTCFullYear() },
    dayOfWeek: shown.getUTCDay(),
  };
}

/** Every wall time from `from` to `until` that is shown at a multiple of `step` seconds. */
export function wallTimes(zone: string, from: number, until: number, step: number): WallTime[] {
  const read = countingReader(zone);
  const shown = new Set<number>();
  const times: WallTime[] = [];
  for (let instant = from - EARLIER_SECS; instant <= until; instant += step) {
    const wall = read(instant);
    // What is shown, as one number: that of the instant at which a clock of UTC shows it.
    const asUtc = instant + aheadOf(wall);
    if (instant >= from) times.push(Object.assign(wall, { isSecondCopy: shown.has(asUtc) }));
    shown.add(asUtc);
  }
  return times;
}

/** The first instants at which the zone's clock changes, to the minute; at most one a day. */
export function changesOf(zone: string, from: number, until: number): number[] {
  const read = wallReader(zone);
  const ahead = (instant: number): number => aheadOf(read(instant));
  const changes: number[] = [];
  for (let day = from; day < until; day += 86_400) {
    if (ahead(day) === ahead(day + 86_400)) continue;
    const minutes = Array.from({ length: 1440 }, (_, minute) => day + (minute + 1) * 60);
    changes.push(minutes.find((minute) => ahead(minute) !== ahead(day)) as number);
  }
  return changes;
}

/** Whether a schedule fires at a wall time, by the rule itself. */
export function fires(cron: WrittenCron, wall: WallTime): boolean {
  const fields = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek', 'year'] as const;
  if (!fields.every((field) => cron[field].matches(wall[field]))) return false;
  const isRestricted = Array.from({ length: 24 }, (_, hour) => hour).some((hour) => !cron.hour.matches(hour));
  return !(isRestricted && wall.isSecondCopy);
}
