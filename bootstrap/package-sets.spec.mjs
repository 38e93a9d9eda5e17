import { describe, expect, it } from '@jest/globals';
import { CONTROL_PLANE, DOCUMENTS, INSTALL_WORDS, setToInstall } from './package-sets.mjs';
import { needsOf } from './commands.mjs';

const LITEPARSE = 'node_modules/@llamaindex/liteparse';
const NATIVE = `${LITEPARSE}-linux-x64-gnu`;
const SHARP = 'node_modules/@img/sharp-linux-x64';
const native = (os, cpu, libc) => ({
  version: '2.14.7',
  optional: true,
  os: [os],
  cpu: [cpu],
  ...(libc && { libc: [libc] }),
});

const locked = {
  '': { name: 'sandgate', workspaces: ['documents'] },
  documents: { name: 'docsvc', version: '0.1.0' },
  'node_modules/docsvc': { resolved: 'documents', link: true },
  'node_modules/pg': { version: '8.23.1' },
  [LITEPARSE]: { version: '2.14.7' },
  [NATIVE]: native('linux', 'x64', 'glibc'),
  [`${LITEPARSE}-linux-x64-musl`]: native('linux', 'x64', 'musl'),
  [`${LITEPARSE}-darwin-arm64`]: native('darwin', 'arm64'),
  [SHARP]: native('linux', 'x64', 'glibc'),
  'node_modules/@img/sharp-linuxmusl-x64': native('linux', 'x64', 'musl'),
};
const small = { 'node_modules/pg': locked['node_modules/pg'] };
const large = {
  ...small,
  documents: locked.documents,
  [LITEPARSE]: locked[LITEPARSE],
  [NATIVE]: locked[NATIVE],
  [SHARP]: locked[SHARP],
};

/** A checkout after an install of this set; what is not said is as that install left it. */
const after = (set, changes = {}) => ({
  locked,
  installed: set === DOCUMENTS ? large : small,
  lockDigest: 'lock',
  recordDigest: 'record',
  stamp: { set, lock: 'lock', record: 'record' },
  machine: { os: 'linux', cpu: 'x64', libc: 'glibc' },
  exists: () => true,
  ...changes,
});
const fresh = after(CONTROL_PLANE, { installed: null, stamp: null });
const without = (packages, place) => Object.fromEntries(Object.entries(packages).filter(([key]) => key !== place));

describe('the packages of a command', () => {
  it.each([
    ['a fresh clone gets what was asked for and no more', CONTROL_PLANE, fresh, CONTROL_PLANE],
    ['a fresh clone gets the larger set where that was asked for', DOCUMENTS, fresh, DOCUMENTS],
    ['the smaller set is there', CONTROL_PLANE, after(CONTROL_PLANE), null],
    ['the larger set is there', DOCUMENTS, after(DOCUMENTS), null],
    ['the larger set satisfies the smaller', CONTROL_PLANE, after(DOCUMENTS), null],
    ['the smaller set does not satisfy the larger', DOCUMENTS, after(CONTROL_PLANE), DOCUMENTS],
    [
      'another lock brings the smaller set again',
      CONTROL_PLANE,
      after(CONTROL_PLANE, { lockDigest: 'other' }),
      CONTROL_PLANE,
    ],
    [
      'another lock never takes the larger set back',
      CONTROL_PLANE,
      after(DOCUMENTS, { lockDigest: 'other', locked: { ...locked, 'node_modules/new': { version: '1.0.0' } } }),
      DOCUMENTS,
    ],
    ['npm was run by hand for all, and left no stamp', DOCUMENTS, after(DOCUMENTS, { stamp: null }), null],
    ['npm was run by hand for less than that', CONTROL_PLANE, after(CONTROL_PLANE, { stamp: null }), CONTROL_PLANE],
    ['npm was run after the stamp', CONTROL_PLANE, after(CONTROL_PLANE, { recordDigest: 'other' }), CONTROL_PLANE],
    ['there is no lock file', CONTROL_PLANE, after(CONTROL_PLANE, { locked: null }), CONTROL_PLANE],
    [
      'npm left the native library of liteparse out',
      DOCUMENTS,
      after(DOCUMENTS, { installed: without(large, NATIVE) }),
      DOCUMENTS,
    ],
    ['npm left that of sharp out', DOCUMENTS, after(DOCUMENTS, { installed: without(large, SHARP) }), DOCUMENTS],
    ['the native library of liteparse is gone', DOCUMENTS, after(DOCUMENTS, { exists: () => false }), DOCUMENTS],
    [
      'the native library is that of another machine',
      DOCUMENTS,
      after(DOCUMENTS, { machine: { os: 'linux', cpu: 'x64', libc: 'musl' } }),
      DOCUMENTS,
    ],
    [
      'the control plane does without the native library of liteparse',
      CONTROL_PLANE,
      after(DOCUMENTS, { installed: without(large, NATIVE) }),
      null,
    ],
  ])('%s', (_case, wanted, state, set) => {
    expect(setToInstall(wanted, state)).toBe(set);
  });

  it('demo, test and demo in a row install once, for the test', () => {
    let state = after(CONTROL_PLANE);
    const installed = ['demo', 'test', 'demo', 'documents:test', 'start'].map((name) => {
      const wanted = needsOf(name, []).includes('documents-packages') ? DOCUMENTS : CONTROL_PLANE;
      const set = setToInstall(wanted, state);
      if (set !== null) state = after(set);
      return set;
    });
    expect(installed).toEqual([null, DOCUMENTS, null, null, null]);
  });

  it('never leave optional packages of documents out', () => {
    expect(INSTALL_WORDS[DOCUMENTS]).toContain('--include=optional');
    expect(INSTALL_WORDS[CONTROL_PLANE]).toEqual(['--workspaces=false']);
  });

  it.each([
    ['start', [], false],
    ['start', ['--with', 'documents'], true],
    ['sandgate', ['start', '--with=documents'], true],
    ['sandgate', ['start', '--with', 'others', 'documents'], false],
  ])('of `%s` with %j bring documents: %s', (name, argv, brings) => {
    expect(needsOf(name, argv).includes('documents-packages')).toBe(brings);
  });
});
