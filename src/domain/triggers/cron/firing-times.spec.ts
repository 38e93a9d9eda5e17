import { describe, expect, it } from '@jest/globals';
import { FiringTimes } from './firing-times.js';

const NEW_YORK = 'America/New_York';

function firings(cron: string, zone: string, after: string, count: number): string[] {
  return new FiringTimes(cron, zone)
    .upcoming(new Date(after), count)
    .map((firing) => firing.toISOString().replace('.000Z', 'Z'));
}

describe('the firings of a schedule', () => {
  it('CP-106 proof 8: follow the clock of the zone over its changes', () => {
    expect(firings('30 2 * * *', NEW_YORK, '2026-03-07T00:00:00Z', 2)).toEqual([
      '2026-03-07T07:30:00Z',
      '2026-03-09T06:30:00Z',
    ]);
    expect(firings('30 1 * * *', NEW_YORK, '2026-11-01T00:00:00Z', 2)).toEqual([
      '2026-11-01T05:30:00Z',
      '2026-11-02T06:30:00Z',
    ]);
    expect(firings('30 9 * * *', NEW_YORK, '2026-03-06T00:00:00Z', 4)).toEqual([
      '2026-03-06T14:30:00Z',
      '2026-03-07T14:30:00Z',
      '2026-03-08T13:30:00Z',
      '2026-03-09T13:30:00Z',
    ]);
  });

  it('proof 8: every hour fires in both copies of a repeated hour, and has no gap where one is left out', () => {
    expect(firings('30 * * * *', NEW_YORK, '2026-11-01T04:00:00Z', 4)).toEqual([
      '2026-11-01T04:30:00Z',
      '2026-11-01T05:30:00Z',
      '2026-11-01T06:30:00Z',
      '2026-11-01T07:30:00Z',
    ]);
    expect(firings('0 * * * *', NEW_YORK, '2026-03-08T06:00:00Z', 2)).toEqual([
      '2026-03-08T07:00:00Z',
      '2026-03-08T08:00:00Z',
    ]);
  });

  it('proof 8: restricted hours fire at the first copy only, asked from within either copy', () => {
    const once = '*/30 0-2 * * *';
    expect(firings(once, NEW_YORK, '2026-11-01T05:00:00Z', 3)).toEqual([
      '2026-11-01T05:30:00Z',
      '2026-11-01T07:00:00Z',
      '2026-11-01T07:30:00Z',
    ]);
    expect(firings(once, NEW_YORK, '2026-11-01T06:10:00Z', 1)).toEqual(['2026-11-01T07:00:00Z']);
    expect(firings('59 59 1 * * *', NEW_YORK, '2026-11-01T05:59:58Z', 2)).toEqual([
      '2026-11-01T05:59:59Z',
      '2026-11-02T06:59:59Z',
    ]);
  });

  it('proof 8: every second goes on over both changes', () => {
    expect(firings('* * * * * *', NEW_YORK, '2026-11-01T05:59:58Z', 3)).toEqual([
      '2026-11-01T05:59:59Z',
      '2026-11-01T06:00:00Z',
      '2026-11-01T06:00:01Z',
    ]);
    expect(firings('* * * * * *', NEW_YORK, '2026-03-08T06:59:58Z', 3)).toEqual([
      '2026-03-08T06:59:59Z',
      '2026-03-08T07:00:00Z',
      '2026-03-08T07:00:01Z',
    ]);
  });

  it('proof 8: a repeated hour that ends the last matching day fires twice', () => {
    // In Beirut midnight of 25 October is 23:00 of 24 October once more.
    expect(firings('0 30 * 24 10 ? 2026', 'Asia/Beirut', '2026-10-24T19:00:00Z', 4)).toEqual([
      '2026-10-24T19:30:00Z',
      '2026-10-24T20:30:00Z',
      '2026-10-24T21:30:00Z',
    ]);
  });

  it('proof 8: changes of half an hour, and days that have no midnight', () => {
    expect(firings('*/15 1 * * *', 'Australia/Lord_Howe', '2026-04-04T14:00:00Z', 4)).toEqual([
      '2026-04-04T14:15:00Z',
      '2026-04-04T14:30:00Z',
      '2026-04-04T14:45:00Z',
      '2026-04-05T14:30:00Z',
    ]);
    expect(firings('0 0 * * *', 'America/Santiago', '2026-09-05T00:00:00Z', 3)).toEqual([
      '2026-09-05T04:00:00Z',
      '2026-09-07T03:00:00Z',
      '2026-09-08T03:00:00Z',
    ]);
  });

  it('CP-106: both fields of days have to match', () => {
    expect(firings('0 0 13 * fri', 'UTC', '2026-01-01T00:00:00Z', 3)).toEqual([
      '2026-02-13T00:00:00Z',
      '2026-03-13T00:00:00Z',
      '2026-11-13T00:00:00Z',
    ]);
    expect(firings('0 9 * * 1-5', 'UTC', '2026-11-20T09:00:00Z', 2)).toEqual([
      '2026-11-23T09:00:00Z',
      '2026-11-24T09:00:00Z',
    ]);
    expect(firings('0 0 * * 7', 'UTC', '2026-11-20T00:00:00Z', 1)).toEqual(
      firings('0 0 * * 0', 'UTC', '2026-11-20T00:00:00Z', 1),
    );
  });

  it('CP-106: a firing is strictly after the reference instant, to the second', () => {
    expect(firings('0 9 * * *', 'UTC', '2026-11-20T09:00:00.000Z', 1)).toEqual(['2026-11-21T09:00:00Z']);
    expect(firings('0 9 * * *', 'UTC', '2026-11-20T08:59:59.999Z', 1)).toEqual(['2026-11-20T09:00:00Z']);
    expect(firings('* * * * * *', 'UTC', '2026-11-20T09:00:00.001Z', 1)).toEqual(['2026-11-20T09:00:01Z']);
  });

  it('CP-106: a schedule that never fires says so at once, and none goes beyond the year 2100', () => {
    for (const cron of ['0 0 30 2 *', '* * * 31 2,4,6,9,11 *', '0 0 0 1 1 ? 2025', '* * * 30 2 *'])
      expect(new FiringTimes(cron, NEW_YORK).next(new Date('2026-01-01T00:00:00Z'))).toBeNull();
    expect(firings('59 59 23 31 12 ? 2100', 'UTC', '2026-01-01T00:00:00Z', 5)).toEqual(['2100-12-31T23:59:59Z']);
    expect(firings('0 0 29 2 *', 'UTC', '2096-03-01T00:00:00Z', 5)).toEqual([]);
    expect(firings('0 0 29 2 mon', NEW_YORK, '2026-01-01T00:00:00Z', 3)).toEqual([
      '2044-02-29T05:00:00Z',
      '2072-02-29T05:00:00Z',
    ]);
  });

  it.each(['', 'Mars/Olympus', '+02:00', 'UTC+2', 'Europe/Berlin; drop', '../etc/passwd', 'local'])(
    'CP-106: the zone %j is refused',
    (zone) => {
      expect(() => new FiringTimes('0 9 * * *', zone)).toThrow(/^schedule\.timezone: .*IANA name/);
    },
  );

  it('CP-106: a zone is known by any of its names in any case', () => {
    expect(new FiringTimes('0 9 * * *', ' europe/berlin ').timezone).toBe('Europe/Berlin');
    for (const zone of ['Asia/Kolkata', 'Asia/Calcutta', 'asia/kolkata'])
      expect(firings('0 9 * * *', zone, '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-01T03:30:00Z']);
  });
});
