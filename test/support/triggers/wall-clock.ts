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

/** Every wall time from `from` to `until` that is shown at a multiple of `step` seconds. */
export function wallTimes(zone: string, from: number, until: number, step: number): WallTime[] {
  const read = wallReader(zone);
  const shown = new Set<string>();
  const times: WallTime[] = [];
  for (let instant = from - EARLIER_SECS; instant <= until; instant += step) {
    const wall = read(instant);
    const text = [wall.year, wall.month, wall.dayOfMonth, wall.hour, wall.minute, wall.second].join();
    if (instant >= from) times.push({ ...wall, isSecondCopy: shown.has(text) });
    shown.add(text);
  }
  return times;
}

/** The first instants at which the zone's clock changes, to the minute; at most one a day. */
export function changesOf(zone: string, from: number, until: number): number[] {
  const read = wallReader(zone);
  const ahead = (instant: number): number => {
    const wall = read(instant);
    return Date.UTC(wall.year, wall.month - 1, wall.dayOfMonth, wall.hour, wall.minute) / 1000 - instant;
  };
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
  const isRestricted = Array.from({ length: 24 }, (_, hour) => hour).some((hour) => !cron.hour.matches(hour));
  if (isRestricted && wall.isSecondCopy) return false;
  const fields = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek', 'year'] as const;
  return fields.every((field) => cron[field].matches(wall[field]));
}
