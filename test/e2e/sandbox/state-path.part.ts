import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { toolsFolder } from '../../../src/platform/packages/tools/tool-folder.js';
import type { LiveStack } from '../../support/installation/live-stack.js';
import type { EnterStack } from '../../support/installation/share-stack.js';

const asRoot = process.getuid?.() === 0;

/** Who is at the other end of the plane socket, as the kernel says it. */
const PEER = `use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die; connect($s, pack_sockaddr_un("/run/sandgate/plane.sock")) or die $!;
print "peer ", unpack_sockaddr_un(getpeername($s)), "\\n"; open(my $f, "<", "/proc/net/unix") or die; print <$f>;`;
/** Everything that the kernel says of processes and mounts, of this process and of every other one that can be read. */
const LOOK = `for file in mountinfo mounts mountstats maps smaps cgroup status stat; do cat /proc/self/$file /proc/[0-9]*/$file 2> /dev/null; done
cat /proc/swaps /proc/mounts /proc/locks /proc/partitions /proc/cmdline 2> /dev/null
ls -l /proc/self/cwd /proc/[0-9]*/cwd /proc/[0-9]*/exe /proc/[0-9]*/root /proc/[0-9]*/fd 2> /dev/null
df -a 2> /dev/null
perl -e '${PEER}'`;

/** What the kernel tells a program inside. */
export function hidesStateFolder(enter: EnterStack): void {
  let stack: LiveStack;
  beforeAll(async () => {
    stack = await enter();
    const content = { name: 'open', defaults: { tool_action: 'allow' }, tools: [] };
    await stack.json('POST', '/v1/policies', { name: 'open', yaml: JSON.stringify(content) });
    await stack.createReplayAgent('looking', 'open');
    // A folder of tools is mounted where there is one.
    mkdirSync(join(toolsFolder(stack.dataDir), 'none'), { recursive: true, mode: 0o755 });
  });

  async function seenInside(): Promise<string> {
    const run = await stack.startRun('looking', [
      { tool: 'Write', input: { file_path: '/workspace/look.sh', content: LOOK } },
      { tool: 'Bash', input: { command: 'sh look.sh > seen.txt 2>&1' } },
    ]);
    expect((await stack.untilTerminal(run)).status).toBe('completed');
    const { artifacts } = await stack.json<{ artifacts: { kind: string; content: string }[] }>(
      'GET',
      `/v1/sessions/${run}/artifacts`,
    );
    return artifacts.find(({ kind }) => kind === 'diff')?.content ?? '';
  }

  it('names the mounts and the other end of the plane socket, and as root never the state folder', async () => {
    const seen = await seenInside();
    for (const place of ['/opt/sandgate', '/opt/sandgate/tools', '/run/sandgate', '/workspace']) {
      expect(seen).toMatch(new RegExp(` ${place} r[ow],`));
    }
    expect(seen).toMatch(/^\+peer \/proc\/self\/fd\/\d+\/\.[0-9a-f]{8}$/m);
    expect(seen).toMatch(/^\+\S+: .* \/proc\/self\/fd\/\d+\/\.[0-9a-f]{8}$/m);
    const sockets = seen.slice(seen.indexOf('+peer '));
    expect(sockets).not.toContain(stack.dataDir);
    // Without root a mount can show nothing but its source; docs/sandbox.md says what of it can be read.
    if (asRoot) expect(seen).not.toContain(stack.dataDir);
  }, 240_000);
}
