import { closeSync, readFileSync, readdirSync } from 'node:fs';
import { isSystemError } from '../../domain/system-error.js';

const FIRST_AFTER_STANDARD = 3;
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes what this process was started with beside its standard streams: whatever shell, lock or service manager left it open,
 * it would go on to every sandbox (docs/design/sandbox.md). Node keeps its own descriptors from its children, and of the inherited ones
 * only those up to the first gap above 15. Call it before anything else is opened.
 */
export function closeInheritedDescriptors(): void {
  for (const fd of readdirSync('/proc/self/fd').map(Number)) {
    if (fd >= FIRST_AFTER_STANDARD && outlivesExec(fd)) closeSync(fd);
  }
}

function outlivesExec(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
    return flags !== undefined && (parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch (error) {
    // The descriptor that read the list is in it, and closed by now.
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
  }
}
