import { absolutePath } from './readers.js';
import { setting } from './setting.js';

/** What runs may be given of the network (docs/design/network.md). */
export class NetworkConfig {
  @setting({
    variable: 'SERVICE_NETWORK_PRESETS',
    read: absolutePath,
    default: null,
    about:
      'YAML file that says which hosts the presets `npm`, `pypi`, `crates`, `go`, `maven` and `debian` mean, for the deployment and for single organizations: see [Network](policies.md#network). Without it presets are refused, and agents name hosts.',
  })
  readonly presetsFile!: string | null;
}
