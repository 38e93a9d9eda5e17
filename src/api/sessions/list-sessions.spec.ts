import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { validated } from '../http/validated.js';
import { ListSessions } from './list-sessions.dto.js';

describe('a list narrowed by labels', () => {
  const twice = 'label: no run carries two values of';
  const names = 'label: must have names of 1 to 63 of A-Z a-z 0-9 . _ / -, not';

  it.each([
    [['team=a', 'team=b'], `${twice} team`],
    [['$property=1', '$property=2'], `${twice} $property`],
    [['$target$value=1', '$target$value=2'], `${twice} $target$value`],
    ['$value=1', `${names} "$value"`],
    [['$property=1'], `${names} "$property"`],
    [`${'$value'.repeat(20)}=1`, `${names} "${'$value'.repeat(14).slice(0, 80)}"`],
  ])('CP-329 by %j is refused in the words that were sent', (label, message) => {
    expect(() => validated(ListSessions, { label }, 'label')).toThrow(message);
  });
});
