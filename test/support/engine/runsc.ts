import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What works where cgroups are of version 1 and no network is wanted. */
const RUNSC =
  '#!/bin/sh\nexec runsc --platform=ptrace --ignore-cgroups --network=none --host-uds=open --oci-seccomp "$@"\n';

/** Puts gVisor, with the options that it needs here, into a folder, for an engine that is to run its containers with it. @returns its path */
export function placeRunsc(folder: string): string {
  const path = join(folder, 'runsc');
  writeFileSync(path, RUNSC, { mode: 0o755 });
  return path;
}
