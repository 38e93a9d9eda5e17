import { describe, expect, it } from '@jest/globals';
import { commandInside, parseToolPackage, toolPackageText, toolPathsOf } from './tool-package.js';

describe('a tool package', () => {
  it.each(['npm:@a/b-c@2026.8.31', 'npm:server@1.0.0-beta.1', 'npm:x@1.2.3+build.5'])('%s is read', (text) => {
    expect(toolPackageText(parseToolPackage(text))).toBe(text);
  });

  it.each([
    ['server@1.0.0'],
    ['npm:server'],
    ['npm:server@latest'],
    ['npm:server@^1.0.0'],
    ['npm:server@1.0'],
    ['npm:../x@1.0.0'],
    ['npm:a/b@1.0.0'],
    ['npm:@a/../b@1.0.0'],
    ['npm:-x@1.0.0'],
    ['npm:server@1.0.0/../..'],
    ['npm:git+ssh://x@1.0.0'],
    ['npm:.hidden@1.0.0'],
    ['npm:@1.0.0'],
  ])('%s is refused', (text) => {
    expect(() => parseToolPackage(text)).toThrow('must be npm:<name>@<version>');
  });

  it('is found in commands and arguments, once for each path', () => {
    const command = commandInside({ name: '@a/b', version: '1.0.0' }, 'b');
    expect(
      toolPathsOf([
        { command, args: ['--root', '/workspace'] },
        { command: 'node', args: ['/opt/sandgate/tools/c/2.0.0/node_modules/c/x.js', command] },
        { command: '/opt/sandgate/tools/c/2.0.0/../../x', args: ['/opt/sandgate/tools/readme'] },
      ]),
    ).toEqual([
      { path: command, owner: { name: '@a/b', version: '1.0.0' }, rest: 'bin/b' },
      { path: expect.any(String), owner: { name: 'c', version: '2.0.0' }, rest: 'node_modules/c/x.js' },
      { path: expect.any(String), owner: null, rest: '../../x' },
      { path: '/opt/sandgate/tools/readme', owner: null, rest: '' },
    ]);
  });
});
