import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SandgateError } from '../../../domain/errors.js';
import { isMissing } from '../../../domain/system-error.js';
import { isRowId } from '../../../domain/uuid.js';
import { rowIdsIn } from '../../host/folders.js';
import { removeTree } from '../../host/remove-tree.js';
import { LayerMounts, type LayerPlaces } from './layer-mounts.js';
import { forgetFileDigest } from './unchanged-file.js';

const IMAGE = '.img';
/** Of what a file takes of its disk, holes left out. */
const SECTOR = 512;

/** The runs of a host that may be based on layers. */
export interface LayerRuns {
  layerPlaces(runId: string): LayerPlaces;
  /** Runs of which anything is on this host. */
  list(): Promise<string[]>;
}

/** What {@link LayerFiles.clear} deleted, and how many it left. */
export interface ClearedLayers {
  removed: number;
  bytes: number;
  inUse: number;
}

/** The images of layers in `<data>/layers`, as files. */
export class LayerFiles {
  /** Holds nothing else. */
  readonly folder: string;

  constructor(
    dataDir: string,
    private readonly runs: LayerRuns,
  ) {
    this.folder = join(dataDir, 'layers');
  }

  /** Where the image of a layer is, or will be. */
  image(layerId: string): string {
    if (!isRowId(layerId)) throw new SandgateError('invalid_request', 'this is not the id of a layer');
    return join(this.folder, `${layerId}${IMAGE}`);
  }

  /** The folder in which it is made. */
  draft(layerId: string): string {
    return `${this.image(layerId)}.draft`;
  }

  /** Gone already is success. */
  async remove(layerId: string): Promise<void> {
    const image = this.image(layerId);
    forgetFileDigest(image);
    await rm(image, { force: true });
    await removeTree(this.draft(layerId));
  }

  /** Layers of which anything is here. */
  list(): Promise<string[]> {
    return rowIdsIn(this.folder);
  }

  /** Layers that runs are based on, one for each of them. */
  async listUsed(): Promise<string[]> {
    const runs = await this.runs.list();
    const layers = await Promise.all(runs.map((runId) => new LayerMounts(this.runs.layerPlaces(runId)).layerId()));
    return layers.filter((id) => id !== null);
  }

  /** Deletes every finished image but those that runs are based on. A run that would have been given one begins without it. */
  async clear(): Promise<ClearedLayers> {
    const used = new Set(await this.listUsed());
    const cleared: ClearedLayers = { removed: 0, bytes: 0, inUse: 0 };
    for (const id of await this.list()) {
      const bytes = await takenBy(this.image(id));
      if (bytes === null) continue;
      if (used.has(id)) {
        cleared.inUse += 1;
        continue;
      }
      await rm(this.image(id), { force: true });
      cleared.removed += 1;
      cleared.bytes += bytes;
    }
    return cleared;
  }
}

/** What a file takes of its disk, in bytes; null where there is none. */
export async function takenBy(file: string): Promise<number | null> {
  try {
    return (await stat(file)).blocks * SECTOR;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
