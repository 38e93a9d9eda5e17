import { readFileSync } from 'node:fs';
import { transformSync } from '@swc/core';
import { expect, it } from '@jest/globals';

/** Versions from 1.15.47 to 1.16.22 at least name something that is not there when a block and its end both fail. */
it('what the compiler makes of `await using` tells both errors where a block and its end fail', async () => {
  const { $schema, exclude, ...options } = JSON.parse(readFileSync('.swcrc', 'utf8'));
  const source = `export async function fail() {
    await using resource = { [Symbol.asyncDispose]: () => Promise.reject(new Error('the end')) };
    throw new Error('the cause');
  }`;
  const { code } = transformSync(source, { ...options, swcrc: false, sourceMaps: false, filename: 'compiled.ts' });
  const { fail } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const error = await fail().catch((caught) => caught);
  expect(error).toMatchObject({
    name: 'SuppressedError',
    suppressed: { message: 'the cause' },
    error: { message: 'the end' },
  });
});
