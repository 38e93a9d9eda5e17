import { describe, expect, it } from '@jest/globals';
import { pathId } from './resource-id.js';

const ID = '01a20aba-eb4f-71e5-a3af-983ff7e97946';
const NOT_FOUND = expect.objectContaining({ code: 'not_found', message: 'no such run' });

describe('an id in a path', () => {
  it.each([ID, ID.toUpperCase(), ID.replaceAll('-', ''), ID.replaceAll('-', '').toUpperCase()])(
    'CP-166 is read from %s, with hyphens or without',
    (text) => {
      expect(pathId(text, 'run')).toBe(ID);
    },
  );

  it.each(['', 'run', ID.replace('-', ''), ` ${ID}`, `{${ID}}`, `${ID}0`, 'g'.repeat(32), '0'.repeat(33)])(
    'that is none, %j, is that of nothing',
    (text) => {
      expect(() => pathId(text, 'run')).toThrow(NOT_FOUND);
    },
  );
});
