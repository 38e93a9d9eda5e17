import type { PresetName } from '../../../src/domain/network/presets.js';

/** A program that others wrote and published together with its tests. */
export interface Project {
  /** As `TEST_PROJECTS` names it. */
  language: string;
  name: string;
  /** Of which the tests are known to pass with the toolchains that sandboxes have. */
  version: string;
  /** Where its dependencies come from. */
  preset: PresetName;
  /** Fetches its package with the client that everybody uses, and unpacks it into an empty folder. */
  fetch(folder: string, key: { name: string; version: string }): Promise<void>;
  /** What its repository has and its package lacks. */
  files: Readonly<Record<string, string>>;
  /** The commands of an agent's `setup`. */
  setup: readonly string[];
  /** Runs its tests, without a network. */
  test: string;
  /** What its tests say when the fault is in, and what when all is well. */
  says: { broken: RegExp; well: RegExp };
  fault: Fault;
}

/** A mistake that a test plants: what is `right` stands once in the file, and `wrong` takes its place. */
export interface Fault {
  file: string;
  right: string;
  wrong: string;
}
