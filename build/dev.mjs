/** `npm run dev`: builds, starts with the services' logs on the terminal; Node's own watcher runs it again on every change. */
import { spawnSync } from 'node:child_process';
import process from 'node:process';

const { status } = spawnSync(process.execPath, ['build/build.mjs'], { stdio: 'inherit' });
if (status === 0) {
  process.argv = [process.argv[0], 'sandgate', 'start', '--logs'];
  await import('../dist/cli/main.js');
}
