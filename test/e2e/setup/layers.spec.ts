import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, existsSync, openSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { clearSetups } from '../../../src/embedded/remove-state.js';
import type { Capture, KeptLayer } from '../../../src/platform/sandbox/setup-layers.js';
import { LayerLab } from './layer-lab.js';

jest.setTimeout(120_000);

/** Only root can mount, so elsewhere no results are kept. */
const describeMounted = process.getuid?.() === 0 ? describe : describe.skip;

const ADDS = `mkdir -p node_modules/x src/generated; echo dep > node_modules/x/index.js; ln -s /usr/bin/env node_modules/env
echo made > src/generated/made; chmod 700 node_modules/x; chmod 4700 node_modules/x/index.js; mkfifo node_modules/pipe
echo '{}' > package.json; echo changed > .git/index; echo kept > /srv/.toolrc`;

describeMounted('what is kept of a setup', () => {
  let lab: LayerLab;
  beforeEach(() => {
    lab = new LayerLab();
  });
  afterEach(() => lab[Symbol.asyncDispose]());

  async function capture(run: string, script: string): Promise<{ id: string; result: Capture }> {
    await lab.open(run);
    await lab.layers.watch(run);
    lab.act(run, script);
    const id = uuidv7();
    return { id, result: await lab.layers.capture(run, id) };
  }
  async function keep(run: string, script = ADDS): Promise<KeptLayer> {
    const { id, result } = await capture(run, script);
    if (!result.kept) throw new Error(result.reason);
    return { id, contentDigest: result.contentDigest };
  }
  async function lay(run: string, layer: KeptLayer): Promise<boolean> {
    await lab.open(run);
    return lab.layers.lay(run, layer);
  }

  it('is in the workspace and the home of another run, which may change it for itself', async () => {
    const layer = await keep('one');
    expect(await lay('two', layer)).toBe(true);
    expect(
      lab.act('two', 'cat node_modules/x/index.js src/generated/made src/a /srv/.toolrc; readlink node_modules/env'),
    ).toBe('dep\nmade\na\nkept\n/usr/bin/env\n');
    lab.act(
      'two',
      'echo more >> node_modules/x/index.js; rm -r src/generated; touch node_modules/x/new; rm /srv/.toolrc',
    );
    expect(await lay('three', layer)).toBe(true);
    expect(lab.act('three', 'cat node_modules/x/index.js src/generated/made /srv/.toolrc; ls node_modules/x')).toBe(
      'dep\nmade\nkept\nindex.js\n',
    );
    // One loop device for both.
    const devices = execFileSync('losetup', ['-j', lab.image(layer.id)], { encoding: 'utf8' })
      .trim()
      .split('\n');
    expect(devices).toHaveLength(1);
    expect((await lab.layers.listUsed()).toSorted()).toEqual([layer.id, layer.id]);
  });

  it('raises nobody’s rights, holds nothing but files, folders and links, and no repository', async () => {
    const layer = await keep('one');
    await lay('two', layer);
    expect(lab.act('two', 'find . -perm /7000; find . ! -type f ! -type d ! -type l; cat .git/index')).toBe('index\n');
    const { mode, uid } = statSync(lab.image(layer.id));
    expect([mode & 0o777, uid]).toEqual([0o400, 0]);
  });

  it('the run that made it goes on with the same, its own repository included', async () => {
    await keep('one');
    expect(
      lab.act('one', 'cat node_modules/x/index.js .git/index /srv/.toolrc src/a; stat -c %a node_modules/x/index.js'),
    ).toBe('dep\nchanged\nkept\na\n777\n');
  });

  it.each([
    ['changed', 'echo other > src/a'],
    ['deleted', 'rm src/a'],
    ['a folder of it replaced', 'rm -r src && mkdir src'],
    ['a folder of it renamed', 'mv src other'],
    ['a folder of it led elsewhere', 'rm -r src && ln -s /etc src'],
    ['made no program any more', 'chmod -x run.sh'],
    ['a link of it led elsewhere', 'rm link && ln -s /etc/passwd link'],
    ['a file of it made a folder', 'rm package.json && mkdir package.json'],
    ['closed', 'chmod 000 src'],
  ])('is nothing where what the repository holds was %s', async (_what, script) => {
    const { id, result } = await capture('one', `echo dep > dep; ${script}`);
    expect(result).toMatchObject({ kept: false, reason: expect.stringContaining('what the repository holds') });
    expect(existsSync(lab.image(id))).toBe(false);
    expect(lab.act('one', 'cat dep')).toBe('dep\n');
  });

  it.each([
    ['written anew', `echo '{}' > package.json; touch src/a; rm link; ln -s src/a link`],
    [
      'found under strange names',
      `mkdir -p "a b/$(printf 'new\\nline')" -- -dash; : > "$(printf '\\377')"; chmod 000 "a b"`,
    ],
  ])('is kept where what the repository holds was only %s', async (_what, script) => {
    const layer = await keep('one', `echo dep > dep; ${script}`);
    await lay('two', layer);
    expect(lab.act('two', `cat dep; echo own > package.json; cat package.json`)).toBe('dep\nown\n');
  });

  it.each([
    ['flipped', (image: string) => flip(image)],
    ['cut', (image: string) => truncateSync(image, statSync(image).size - 4096)],
  ])('is not used once its image is %s', async (_what, damage) => {
    const layer = await keep('one');
    expect(await lay('two', layer)).toBe(true);
    chmodSync(lab.image(layer.id), 0o600);
    damage(lab.image(layer.id));
    expect(await lay('three', layer)).toBe(false);
    expect(lab.act('three', 'ls')).toBe('link\npackage.json\nrun.sh\nsrc\n');
    await lab.layers.remove(layer.id);
    expect(await lay('four', layer)).toBe(false);
  });

  it('is beneath the workspace again after a reboot of the host, and its absence is told', async () => {
    const layer = await keep('one');
    await lay('two', layer);
    lab.act('two', 'echo mine > node_modules/x/index.js');
    for (const run of ['one', 'two']) await lab.reboot(run);
    expect([await lab.reopen('one'), await lab.reopen('two')]).toEqual([true, true]);
    expect(lab.act('two', 'cat node_modules/x/index.js src/generated/made')).toBe('mine\nmade\n');
    expect(lab.act('one', 'cat node_modules/x/index.js')).toBe('dep\n');
    await lab.reboot('two');
    await lab.layers.remove(layer.id);
    expect(await lab.reopen('two')).toBe(false);
  });

  it('is deleted when a person asks, unless a run is based on it', async () => {
    const [idle, used] = [await keep('one'), await keep('two')];
    await lay('three', used);
    const bytes = statSync(lab.image(idle.id)).blocks * 512;
    expect(() => clearSetups(lab.dataDir)).toThrow('is not a state folder');
    writeFileSync(join(lab.dataDir, 'host-id'), '');
    expect(await clearSetups(lab.dataDir)).toEqual({ removed: 1, bytes, inUse: 1 });
    expect([existsSync(lab.image(idle.id)), existsSync(lab.image(used.id))]).toEqual([false, true]);
    expect(await lay('four', idle)).toBe(false);
    expect(lab.act('three', 'cat src/generated/made')).toBe('made\n');
  });

  it('tells nobody inside where it lies', async () => {
    await lay('two', await keep('one'));
    const seen = lab.act('two', 'grep " /mnt " /proc/self/mountinfo');
    expect(seen).toContain('overlay');
    expect(seen).not.toContain(lab.dataDir);
  });
});

function flip(image: string): void {
  const file = openSync(image, 'r+');
  writeSync(file, Buffer.from([0x5a]), 0, 1, statSync(image).size - 4000);
  closeSync(file);
}
