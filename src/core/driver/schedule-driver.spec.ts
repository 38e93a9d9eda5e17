import { describe, expect, it } from '@jest/globals';
import type { Database } from '../record/database.js';
import { ScheduleDriver } from './schedule-driver.js';

const REF = { organizationId: 'o', subscriptionId: 's' };

/** A driver whose record is read as `read` says. */
function driverOf(read: () => Promise<never>): { driver: ScheduleDriver; warnings: unknown[] } {
  const warnings: unknown[] = [];
  const database = { withTenant: read } as unknown as Database;
  const unused = (): Promise<never> => Promise.reject(new Error('not reached'));
  const schedules = { put: unused, wake: unused, list: unused };
  const log = { warn: (line: unknown) => void warnings.push(line) };
  return { driver: new ScheduleDriver({ database, schedules, log: log as never, now: () => new Date() }), warnings };
}

describe('telling of a schedule that was changed', () => {
  it('CP-116 fails nobody: what went wrong is a line of the log', async () => {
    const { driver, warnings } = driverOf(() => Promise.reject(new Error('away')));
    await driver.sync(REF);
    expect(warnings).toEqual([expect.objectContaining({ ...REF, err: new Error('away') })]);
  });
});
