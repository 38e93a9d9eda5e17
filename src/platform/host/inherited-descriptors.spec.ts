import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';

const MODULE = new URL('./inherited-descriptors.ts', import.meta.url).href;

/** Starts Node as a careless service manager would, with descriptor 40 open, and tells what a child of it has there. */
function seenByChild(before: string): string {
  const program = `
    import { registerHooks } from 'node:module';
    import { spawnSync } from 'node:child_process';
    registerHooks({ resolve: (name, context, next) =>
      next(name.startsWith('.') ? name.replace(/\\.js$/, '.ts') : name, context) });
    const { closeInheritedDescriptors } = await import(${JSON.stringify(MODULE)});
    ${before}
    process.stdout.write(spawnSync('/bin/sh', ['-c', 'readlink /proc/$$/fd/40 || echo closed']).stdout);
  `;
  const argv = ['-c', 'exec 40</etc/passwd; exec "$@"', 'bash', process.execPath, '--no-warnings'];
  const node = spawnSync('bash', [...argv, '--input-type=module', '-e', program], { encoding: 'utf8' });
  return node.stdout.trim() || node.stderr;
}

describe('inherited descriptors', () => {
  it('reach a child unless they are closed first', () => {
    expect(seenByChild('')).toBe('/etc/passwd');
    expect(seenByChild('closeInheritedDescriptors();')).toBe('closed');
  });
});
