import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

it.each(['api', 'worker', 'cli'])(
  'the program %s is ASCII, or Node would keep every character of it in two bytes',
  (part) => {
    const program = readFileSync(`dist/${part}/main.js`, 'utf8');
    expect(/[\u0080-\uffff].{0,80}/.exec(program)).toBeNull();
  },
);
