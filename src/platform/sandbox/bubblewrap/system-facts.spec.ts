import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSystemFacts } from './system-facts.js';

describe('the facts of a host', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'sandgate-facts-'));
    for (const folder of ['usr/bin', 'etc/ssl/certs', 'etc/ssl/private', 'proc/acpi', 'proc/sys', 'proc/bus', 'lib'])
      mkdirSync(join(root, folder), { recursive: true });
    for (const file of ['proc/keys', 'proc/kcore', 'etc/shadow', 'etc/ld.so.cache'])
      writeFileSync(join(root, file), '');
    symlinkSync('usr/bin', join(root, 'bin'));
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('keeps links into /usr as links and binds real folders', () => {
    const facts = readSystemFacts(root);
    expect(facts.links).toEqual([{ path: '/bin', target: 'usr/bin' }]);
    expect(facts.readOnly).toEqual(['/usr', '/lib', '/etc/ld.so.cache', '/etc/ssl/certs']);
  });

  it('masks what there is and nothing else, so that nothing must be made in /proc', () => {
    const facts = readSystemFacts(root);
    expect(facts.maskedFiles).toEqual(['/proc/kcore', '/proc/keys']);
    expect(facts.maskedFolders).toEqual(['/proc/acpi']);
    expect(facts.readOnlyProc).toEqual(['/proc/bus', '/proc/sys']);
  });

  it('takes the time zone as a link only when it leads into /usr', () => {
    symlinkSync('../usr/share/zoneinfo/UTC', join(root, 'etc/localtime'));
    expect(readSystemFacts(root).links).toContainEqual({ path: '/etc/localtime', target: '../usr/share/zoneinfo/UTC' });
    rmSync(join(root, 'etc/localtime'));
    symlinkSync('/var/secret', join(root, 'etc/localtime'));
    expect(readSystemFacts(root).links).toHaveLength(1);
    rmSync(join(root, 'etc/localtime'));
    writeFileSync(join(root, 'etc/localtime'), '');
    expect(readSystemFacts(root).readOnly).toContain('/etc/localtime');
  });
});
