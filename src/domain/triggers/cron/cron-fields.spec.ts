import { describe, expect, it } from '@jest/globals';
import { SandgateError } from '../../errors.js';
import { isEvery, parseCron, runsOf, type CronField } from './cron-fields.js';

function refusalOf(expression: string): string {
  try {
    parseCron(expression);
  } catch (cause) {
    if (cause instanceof SandgateError && cause.code === 'invalid_request') return cause.message;
    throw cause;
  }
  throw new Error(`${expression} was accepted`);
}

describe('the cron dialect', () => {
  it('CP-106: five fields fire at second 0 of any year, six begin with seconds, seven end with a year', () => {
    expect(parseCron('30 9 1 2 3')).toMatchObject({
      ...{ second: [0], minute: [30], hour: [9], dayOfMonth: [1], month: [2], dayOfWeek: [3] },
    });
    expect(isEvery('year', parseCron('30 9 1 2 3'))).toBe(true);
    expect(parseCron('5 30 9 1 2 3')).toMatchObject({ second: [5], minute: [30], hour: [9], dayOfWeek: [3] });
    expect(parseCron(' 5  30 9\t1 2 3 2030-2032 ')).toMatchObject({ second: [5], year: [2030, 2031, 2032] });
  });

  it.each<[CronField, string, number[]]>([
    ['minute', '7 * * * *', [7]],
    ['minute', '1-4 * * * *', [1, 2, 3, 4]],
    ['minute', '50,10,30,10 * * * *', [10, 30, 50]],
    ['minute', '*/20 * * * *', [0, 20, 40]],
    ['minute', '10-30/10 * * * *', [10, 20, 30]],
    ['minute', '45/5 * * * *', [45, 50, 55]],
    ['minute', '*/90 * * * *', [0]],
    ['minute', '58-59,*/30 * * * *', [0, 30, 58, 59]],
    ['minute', '007 * * * *', [7]],
    ['hour', '0 20/2 * * *', [20, 22]],
    ['dayOfMonth', '0 0 28/1 * *', [28, 29, 30, 31]],
    ['month', '0 0 1 jan,Jun-AUGUST,12 *', [1, 6, 7, 8, 12]],
    ['month', '0 0 1 */4 *', [1, 5, 9]],
    ['dayOfWeek', '0 0 * * 1-5', [1, 2, 3, 4, 5]],
    ['dayOfWeek', '0 0 * * 0', [0]],
    ['dayOfWeek', '0 0 * * 7', [0]],
    ['dayOfWeek', '0 0 * * 5-7', [0, 5, 6]],
    ['dayOfWeek', '0 0 * * 0,7', [0]],
    ['dayOfWeek', '0 0 * * 0-7', [0, 1, 2, 3, 4, 5, 6]],
    ['dayOfWeek', '0 0 * * */2', [0, 2, 4, 6]],
    ['dayOfWeek', '0 0 * * 1/2', [1, 3, 5]],
    ['dayOfWeek', '0 0 * * MON-friday', [1, 2, 3, 4, 5]],
    ['dayOfWeek', '0 0 * * fri-sun', [0, 5, 6]],
    ['dayOfWeek', '0 0 * * sun-tue', [0, 1, 2]],
    ['dayOfWeek', '0 0 * * Wednesday', [3]],
    ['year', '0 0 0 1 1 ? 2100', [2100]],
  ])('CP-106: the %s of "%s" is %j', (field, expression, numbers) => {
    expect(parseCron(expression)[field]).toEqual(numbers);
  });

  it('CP-106: ? stands for * in either field of days', () => {
    expect(isEvery('dayOfMonth', parseCron('0 0 ? * 1'))).toBe(true);
    expect(isEvery('dayOfWeek', parseCron('0 0 1 * ?'))).toBe(true);
    expect(isEvery('dayOfWeek', parseCron('0 0 ? * ?'))).toBe(true);
  });

  it.each([
    ['', 'has 0 fields'],
    ['* * * *', 'has 4 fields'],
    ['* * * * * * * *', 'has 8 fields'],
    ['@daily', 'shorthand'],
    ['@every 1h', 'shorthand'],
    ['TZ=Europe/Berlin 0 9 * * *', 'schedule.timezone'],
    ['CRON_TZ=Europe/Berlin 0 9 * * *', 'schedule.timezone'],
    ['60 * * * *', 'minute: 60 is not between 0 and 59'],
    ['60 * * * * *', 'second: 60 is not between 0 and 59'],
    ['0 24 * * *', 'hour: 24'],
    ['0 0 0 * *', 'day of month: 0 is not between 1 and 31'],
    ['0 0 32 * *', 'day of month: 32'],
    ['0 0 1 0 *', 'month: 0'],
    ['0 0 1 13 *', 'month: 13'],
    ['0 0 * * 8', 'day of week: 8 is not between 0 and 7'],
    ['0 0 0 1 1 * 1969', 'year: 1969'],
    ['0 0 0 1 1 * 2101', 'year: 2101 is not between 1970 and 2100'],
    ['*/0 * * * *', 'minute: a step of 0'],
    ['5-10/0 * * * *', 'minute: a step of 0'],
    ['10-5 * * * *', 'minute: "10-5" ends before it begins'],
    ['0 0 * * 6-0', 'day of week: "6-0" ends'],
    ['0 0 * * sat-mon', 'ends before it begins'],
    ['0 0 L * *', 'unknown name "l"'],
    ['0 0 15W * *', 'unknown name "15w"'],
    ['0 0 LW * *', 'unknown name "lw"'],
    ['0 0 * * 5L', 'unknown name "5l"'],
    ['0 0 * * mon#2', '"mon#2" is not supported'],
    ['? * * * *', 'minute: "?" is not supported'],
    ['0 0 ?/2 * *', '"?/2" is not supported'],
    ['0 0 1,? * *', '"?" is not supported'],
    ['0 0 * ? *', 'month: "?" is not supported'],
    ['0 0 * foo *', 'month: unknown name "foo"'],
    ['0 0 * mayo *', 'month: unknown name "mayo"'],
    ['0 0 * * tues', 'day of week: unknown name "tues"'],
    ['mon * * * *', 'minute: unknown name "mon"'],
    ['-5 * * * *', '"-5" is not supported'],
    ['+5 * * * *', '"+5" is not supported'],
    ['1.5 * * * *', '"1.5" is not supported'],
    ['1, * * * *', '"" is not supported'],
    ['*5 * * * *', '"*5" is not supported'],
    ['*-5 * * * *', '"*-5" is not supported'],
    ['1-2-3 * * * *', '"1-2-3" is not supported'],
    ['1/2/3 * * * *', '"1/2/3" is not supported'],
    ['99999 * * * *', 'unknown name "99999"'],
    ['٣ * * * *', 'is not supported'],
    [`${'1,'.repeat(600)}1 * * * *`, 'is longer than 1000 characters'],
  ])('CP-106: refuses "%s"', (expression, reason) => {
    const refusal = refusalOf(expression);
    expect(refusal).toMatch(/^schedule\.cron: /);
    expect(refusal).toContain(reason);
  });

  it('runs are what is contiguous', () => {
    expect(runsOf([1, 2, 3, 5, 7, 8])).toEqual([
      { from: 1, to: 3 },
      { from: 5, to: 5 },
      { from: 7, to: 8 },
    ]);
  });
});
