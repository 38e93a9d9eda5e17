/** What is kept of a setup, as the record has it. */
export interface KeptLayer {
  id: string;
  /** Of its image: `sha256:` + 64 hex. */
  contentDigest: string;
}

/** What a capture made, or why it kept nothing. */
export type Capture =
  | { kept: true; contentDigest: string; bytes: number; files: number }
  | { kept: false; reason: string; cause?: unknown };

/**
 * The results of setups that this host keeps for later runs (docs/design/setup.md): what the commands added to workspace and home, as
 * read-only images. Works on runs whose room is reserved and whose workspace is filled, while they have no sandbox.
 */
export interface SetupLayers {
  /**
   * Names everything of this host that the result of commands depends on.
   * @param image that the run's revision names, or empty
   */
  environment(image: string): Promise<string>;
  /** Shows a layer beneath the workspace and the home of a run. False where its image is not there, or not what was recorded. */
  lay(runId: string, layer: KeptLayer): Promise<boolean>;
  /** From here on, what is added to the workspace can be told from what the run began with. */
  watch(runId: string): Promise<void>;
  /** Makes an image of what was added since {@link watch}. The run goes on with it, whatever becomes of the image. */
  capture(runId: string, layerId: string): Promise<Capture>;
  /** Deletes an image. Runs that have it mounted keep it. Gone already is success. */
  remove(layerId: string): Promise<void>;
  /** Layers of which anything is on this host. */
  list(): Promise<string[]>;
  /** Layers that runs of this host are based on. */
  listUsed(): Promise<string[]>;
}
