import { once } from 'node:events';
import { rmSync } from 'node:fs';

/** Ends what start-services started and removes its folder. */
export default async function stopServices(): Promise<void> {
  const services = globalThis.sandgateTestServices;
  if (services === undefined) return;
  await Promise.all(
    services.children.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const forced = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(forced);
    }),
  );
  rmSync(services.folder, { recursive: true, force: true });
}
