import { isAscii } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

it.each(['api', 'worker', 'cli'])(
  'the program %s is ASCII, or Node would keep every character of it in two bytes',
  (part) => {
    const program = readFileSync(`dist/${part}/main.js`);
    const at = program.findIndex((byte) => byte > 0x7f);
    expect([isAscii(program), program.subarray(Math.max(0, at - 80), at + 1).toString()]).toEqual([true, '']);
  },
);
