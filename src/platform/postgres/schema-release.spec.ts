import { describe, expect, it } from '@jest/globals';
import { isOlder, ownRelease } from './schema-release.js';

describe('the version of a schema', () => {
  it.each([
    ['0.1.0', '0.2.0', true],
    ['0.9.0', '0.10.0', true],
    ['1.2.3', '1.2.4', true],
    ['0.2.0', '0.1.9', false],
    ['2.0.0', '1.9.9', false],
    ['1.0.0', '1.0.0', false],
    ['1.0.0-rc.1', '1.0.0', false],
    ['1.0.0-rc.1', '1.0.1-rc.1', true],
  ])('%s is older than %s: %s', (one, other, expected) => {
    expect(isOlder(one, other)).toBe(expected);
  });

  it('is the one of the package, and anything else is told', () => {
    expect(isOlder(ownRelease().version, '99.0.0')).toBe(true);
    expect(() => isOlder('latest', '1.0.0')).toThrow(/"latest" is no version/);
  });
});
