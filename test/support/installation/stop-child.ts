import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Ends a process that may have ended already: asked first, killed when it has not gone by then. */
export async function stopChild(child: ChildProcess, withinMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), withinMs);
  await gone;
  clearTimeout(killer);
}
