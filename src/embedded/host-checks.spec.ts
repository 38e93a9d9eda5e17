import { describe, expect, it } from '@jest/globals';
import type { Inspection } from '../platform/sandbox/choice/inspect-host.js';
import { describeProviders } from './host-checks.js';

const DISK = 'the limit of disk is soft: a sized disk image takes what this host lacks: mkfs.ext4';

function found(name: Inspection['name'], isChosen: boolean, missing: string[], notes: string[] = []): Inspection {
  return { name, isChosen, report: { ok: missing.length === 0, missing, notes } };
}

describe('what the doctor says of sandbox providers', () => {
  it('the one that works, what weakens it, and what the other one lacks', () => {
    expect(
      describeProviders([
        found('bubblewrap', true, [], [DISK]),
        found('docker', false, ['no container engine was found', 'x'], [DISK]),
      ]),
    ).toEqual([
      { name: 'sandbox', result: 'ok', detail: 'bubblewrap works here' },
      { name: 'sandbox', result: 'note', detail: DISK },
      {
        name: 'sandbox',
        result: 'note',
        detail: 'not used, and lacking: docker: no container engine was found; x',
      },
    ]);
  });

  it('that the other one would work, with what is different about it', () => {
    const checks = describeProviders([
      found('docker', true, [], [DISK]),
      found('bubblewrap', false, [], [DISK, 'limits are hard']),
    ]);
    expect(checks.at(-1)).toEqual({
      name: 'sandbox',
      result: 'note',
      detail: 'bubblewrap works here too (SERVICE_PROVIDER=bubblewrap); limits are hard',
    });
  });

  it('all that is missing, where neither works', () => {
    const checks = describeProviders([
      found('bubblewrap', true, ['bubblewrap is not installed']),
      found('docker', true, ['no container engine was found']),
    ]);
    expect(checks).toEqual([
      {
        name: 'sandbox',
        result: 'fail',
        detail: 'bubblewrap: bubblewrap is not installed; docker: no container engine was found',
      },
    ]);
  });

  it('fails for the one that is configured, whatever the other one can do', () => {
    const checks = describeProviders([found('docker', true, ['its image']), found('bubblewrap', false, [])]);
    expect(checks.map(({ result }) => result)).toEqual(['fail', 'note']);
  });
});
