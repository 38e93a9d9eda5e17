import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * Reads "add <group>" and "del <group>" lines; when the pipe ends without "quit", the supervisor died, and every group
 * that is still listed is ended. A shell, because it must cost nothing and outlive what it watches.
 */
const SCRIPT = `
trap '' INT TERM HUP
groups=''
while read -r action group; do
  case "$action" in
    add) groups="$groups $group" ;;
    del) kept=''; for one in $groups; do [ "$one" = "$group" ] || kept="$kept $one"; done; groups="$kept" ;;
    quit) exit 0 ;;
  esac
done
for one in $groups; do kill -s TERM -- "-$one" 2>/dev/null; done
sleep 1
for one in $groups; do kill -s KILL -- "-$one" 2>/dev/null; done
`;

/** Ends the children of a supervisor that was killed with no chance to end them itself (docs/design/workflows.md). */
export class OrphanGuard {
  private readonly shell: ChildProcess;

  constructor() {
    this.shell = spawn('/bin/sh', ['-c', SCRIPT], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      env: { PATH: process.env['PATH'] },
    });
    // A guard that dies first breaks the pipe, which must not end the supervisor.
    this.shell.stdin?.on('error', () => undefined);
    this.shell.unref();
    (this.shell.stdin as Socket | null)?.unref();
  }

  watch(processGroup: number): void {
    this.shell.stdin?.write(`add ${processGroup}\n`);
  }

  forget(processGroup: number): void {
    this.shell.stdin?.write(`del ${processGroup}\n`);
  }

  dismiss(): void {
    this.shell.stdin?.end('quit\n');
  }

  /** Closes the pipe, as the death of this process would. */
  abandon(): void {
    this.shell.stdin?.end();
  }
}
