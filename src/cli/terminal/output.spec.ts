import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { toJson, toYaml } from './output.js';

const DOCUMENT = {
  plain: 'npm test',
  hostile: 'a\u202eb\u009b31m\u200b\u{e0041}\u001b[2J\n',
  'key\u202e': [1, null, true],
};
// eslint-disable-next-line no-control-regex -- the point of the test
const DANGEROUS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u{e0041}]/u;

describe('documents for programs', () => {
  it('escapes what steers a terminal and keeps the values as they are, in JSON', () => {
    expect(toJson(DOCUMENT)).not.toMatch(DANGEROUS);
    expect(JSON.parse(toJson(DOCUMENT))).toEqual(DOCUMENT);
  });

  it('escapes what steers a terminal and keeps the values as they are, in YAML', () => {
    expect(toYaml(DOCUMENT)).not.toMatch(DANGEROUS);
    expect(parse(toYaml(DOCUMENT))).toEqual(DOCUMENT);
  });
});
