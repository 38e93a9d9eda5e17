import type { SandboxSizes } from '../../domain/run/spec.js';
import { certificates, decimal, integer, namedFolders, oneOf, text, unixSocket } from './readers.js';
import { setting } from './setting.js';

const MEMORY_MB = integer(64, 1_048_576);
const CPUS = decimal(0.1, 512);
const DISK_MB = integer(16, 1_048_576);
const PIDS = integer(16, 65_536);

/** Where runs are confined, and how large a sandbox may be (docs/design/sandbox.md). */
export class SandboxConfig {
  @setting({
    variable: 'SERVICE_PROVIDER',
    read: oneOf('auto', 'bubblewrap', 'docker'),
    default: 'auto',
    about:
      'Sandbox provider of this host. `auto` takes bubblewrap where it works, and else a container engine. `docker` is Docker Engine or Podman.',
  })
  readonly provider!: 'auto' | 'bubblewrap' | 'docker';

  @setting({
    variable: 'SERVICE_DOCKER_HOST',
    read: unixSocket,
    default: null,
    defaultText: 'the first of `unix:///var/run/docker.sock` and `unix:///run/podman/podman.sock` that is there',
    about: 'Socket of the container engine. It must be on this host, since its containers mount folders of it.',
  })
  readonly dockerHost!: string | null;

  @setting({
    variable: 'SERVICE_DOCKER_RUNTIME',
    read: text,
    default: null,
    about: "The engine's name of the runtime for sandboxes, such as `runsc`. Empty: the engine's default.",
  })
  readonly dockerRuntime!: string | null;

  @setting({
    variable: 'SERVICE_DOCKER_PLANE',
    read: oneOf('auto', 'socket', 'network'),
    default: 'auto',
    about:
      'How sandboxes of a container engine reach the runner plane: by a mounted `socket`, or by a `network` of their own on which it is the only address. `auto` takes the socket where it answers.',
  })
  readonly dockerPlane!: 'auto' | 'socket' | 'network';

  @setting({
    variable: 'SERVICE_SANDBOX_IMAGE',
    read: text,
    default: 'localhost/sandgate-sandbox:1',
    about: 'Image of sandboxes on a container engine. `npm run images` makes it without any registry.',
  })
  readonly image!: string;

  @setting({
    variable: 'SERVICE_SANDBOX_CA',
    read: certificates,
    default: null,
    about:
      'Certificate authorities that tools in sandboxes trust besides those of this host, such as that of your package mirrors; usually in a file that `SERVICE_SANDBOX_CA_FILE` names.',
  })
  readonly ca!: string | null;

  @setting({
    variable: 'SERVICE_SANDBOX_CACHES',
    read: namedFolders,
    default: {},
    defaultText: 'none',
    about:
      'Folders of this host that every sandbox on it may read, and never write, at `/opt/caches/<name>`: packages that need not be fetched again. All organizations see them.',
  })
  readonly caches!: Readonly<Record<string, string>>;

  @setting({
    variable: 'SERVICE_SANDBOX_UID_BASE',
    read: integer(10_000, 4_000_000_000),
    default: 231_000,
    about:
      'As root, first of 4096 host user ids, one for each live run, and of one more that fetches from code hosts. They must belong to nobody else.',
  })
  readonly uidBase!: number;

  @setting({
    variable: 'SERVICE_SANDBOX_CAPACITY',
    read: integer(1, 4096),
    default: 64,
    about: 'Sandboxes that this host runs at once.',
  })
  readonly capacity!: number;

  @setting({
    variable: 'SERVICE_SETUP_CACHE_MB',
    read: integer(0, 16_777_216),
    default: 20_480,
    about: 'MiB of this host for the results of setup commands, kept for later runs of the same; 0 keeps none.',
  })
  readonly setupCacheMb!: number;

  @setting({
    variable: 'SERVICE_SANDBOX_MEMORY_MB',
    read: MEMORY_MB,
    default: 2048,
    about: 'Memory of a sandbox in MiB, unless the agent says otherwise.',
  })
  readonly memoryMb!: number;

  @setting({
    variable: 'SERVICE_SANDBOX_CPUS',
    read: CPUS,
    default: 2,
    about: 'Processors of a sandbox, unless the agent says otherwise.',
  })
  readonly cpus!: number;

  @setting({
    variable: 'SERVICE_SANDBOX_DISK_MB',
    read: DISK_MB,
    default: 4096,
    about: 'Workspace of a sandbox in MiB, unless the agent says otherwise.',
  })
  readonly diskMb!: number;

  @setting({
    variable: 'SERVICE_SANDBOX_PIDS',
    read: PIDS,
    default: 512,
    about: 'Processes and threads of a sandbox, unless the agent says otherwise.',
  })
  readonly pids!: number;

  @setting({
    variable: 'SERVICE_SANDBOX_MEMORY_MB_MAX',
    read: MEMORY_MB,
    default: 16_384,
    about: 'Most memory in MiB that an agent may ask for.',
  })
  readonly memoryMbMax!: number;

  @setting({
    variable: 'SERVICE_SANDBOX_CPUS_MAX',
    read: CPUS,
    default: 8,
    about: 'Most processors that an agent may ask for.',
  })
  readonly cpusMax!: number;

  @setting({
    variable: 'SERVICE_SANDBOX_DISK_MB_MAX',
    read: DISK_MB,
    default: 65_536,
    about: 'Largest workspace in MiB that an agent may ask for.',
  })
  readonly diskMbMax!: number;

  @setting({
    variable: 'SERVICE_SANDBOX_PIDS_MAX',
    read: PIDS,
    default: 4096,
    about: 'Most processes that an agent may ask for.',
  })
  readonly pidsMax!: number;

  get defaults(): SandboxSizes {
    return { memory_mb: this.memoryMb, cpus: this.cpus, disk_mb: this.diskMb, pids: this.pids };
  }

  get maxima(): SandboxSizes {
    return { memory_mb: this.memoryMbMax, cpus: this.cpusMax, disk_mb: this.diskMbMax, pids: this.pidsMax };
  }
}
