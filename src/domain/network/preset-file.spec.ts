import { describe, expect, it } from '@jest/globals';
import { parsePresetFile } from './preset-file.js';
import { presetsOf } from './presets.js';
import { describeTarget } from './target.js';

const FILE = `
# Mirrors of this deployment.
presets:
  npm:
    targets: [npm.example.com:443, npm.example.com:443, "*.npm.example.com:443"]
    variables: {npm_config_registry: https://npm.example.com/}
  pypi: {targets: [pypi.example.com:443]}
organizations:
  acme:
    npm: {targets: [npm.acme.example:8443]}
`;

const reason = (text: string): string => {
  try {
    parsePresetFile(text);
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
};

describe('a file of presets', () => {
  it('says what presets mean, and what an organization means instead', () => {
    const table = parsePresetFile(FILE);
    const meaning = (slug: string): object =>
      Object.fromEntries(
        Object.entries(presetsOf(table, slug)).map(([name, { targets, variables }]) => [
          name,
          [targets.map(describeTarget), variables],
        ]),
      );
    expect(meaning('other')).toEqual({
      npm: [['npm.example.com:443', '*.npm.example.com:443'], { npm_config_registry: 'https://npm.example.com/' }],
      pypi: [['pypi.example.com:443'], {}],
    });
    // The whole preset is replaced: variables of the deployment would lead to hosts that are not granted.
    expect(meaning('acme')).toEqual({ npm: [['npm.acme.example:8443'], {}], pypi: [['pypi.example.com:443'], {}] });
  });

  it('may say nothing of one of its parts', () => {
    expect(parsePresetFile('presets: {}')).toEqual({ presets: {}, organizations: new Map() });
    expect(parsePresetFile('organizations: {}').presets).toEqual({});
  });

  it.each([
    ['', 'line 1: the document must have presets and organizations'],
    ['- a', 'line 1: the document must have presets and organizations'],
    ['preset: {}', 'line 1: preset is not known; did you mean presets?'],
    ['presets:\n  npm: {target: [a.example:1]}', 'line 2: presets.npm.target is not known; did you mean targets?'],
    ['presets:\n  nmp: {}', 'line 2: presets.nmp there is no preset nmp'],
    ['presets:\n  npm:\n    variables: {}', 'line 2: presets.npm.targets must be a list of 1 to 256 targets'],
    ['presets:\n  npm:\n    targets: []', 'line 3: presets.npm.targets must be a list'],
    ['presets:\n  npm: {targets: [a.example:443,\n    10.0.0.1:443]}', 'line 3: presets.npm.targets.1 must be a name'],
    [
      'presets:\n  npm:\n    targets:\n      - a.example:443\n      - 7',
      'line 5: presets.npm.targets.1 must be a text',
    ],
    [
      'presets:\n  npm:\n    targets: [a.example:443]\n    variables:\n      HTTPS_PROXY: http://x',
      'line 5: presets.npm.variables.HTTPS_PROXY is not a variable of npm; there are npm_config_registry',
    ],
    [
      'presets:\n  maven:\n    targets: [a.example:443]\n    variables: {A: b}',
      'line 4: presets.maven.variables.A is not possible',
    ],
    [
      'presets:\n  npm:\n    targets: [a.example:443]\n    variables: {npm_config_registry: 7}',
      'line 4: presets.npm.variables.npm_config_registry must be a text',
    ],
    [
      'presets:\n  npm:\n    targets: [a.example:443]\n    variables: {npm_config_registry: "a\\nb"}',
      'line 4: presets.npm.variables.npm_config_registry must be a text',
    ],
    ['organizations:\n  Acme: {}', 'line 2: organizations.Acme is no slug of an organization'],
    ['organizations:\n  acme:\n    nmp: {}', 'line 3: organizations.acme.nmp there is no preset nmp'],
    ['presets: {}\npresets: {}', 'line 2: Map keys must be unique'],
    ['presets: {}\n---\npresets: {}', 'line 2: '],
    ['presets: {npm: !!js/function x}', 'line 1: '],
    ['presets:\n  npm: [', 'line 2: '],
    ['presets: {<<: {npm: {}}}', 'line 1: presets.<< there is no preset <<'],
    ['presets: {__proto__: {targets: [a.example:1]}}', 'line 1: presets.__proto__ there is no preset __proto__'],
    ['presets: {npm: {targets: [a.example:1], __proto__: {}}}', '__proto__ is not known'],
  ])('%j is refused with its line', (text, expected) => expect(reason(text)).toContain(expected));

  it('bounds what aliases may become', () => {
    const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 9; i++)
      bomb.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    expect(reason(bomb.join('\n'))).toMatch(/alias/i);
  });
});
