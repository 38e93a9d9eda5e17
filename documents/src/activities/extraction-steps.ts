import type { RunErrorCode } from '../domain/extraction/run/run-errors.js';

/** One attempt of a run, as steps and histories know it: ids and numbers, never what a document says. */
export interface RunRef {
  orgId: string;
  projectId: string;
  extractionId: string;
  attempt: number;
  timing: {
    /** Silence of a step after which it is taken again. */
    heartbeatMs: number;
  };
}

/** Where a run stands when its workflow takes it up. */
export interface RunTaken {
  ref: RunRef;
  status: 'waiting' | 'running' | 'cancelling';
  /** What is left of the time that it may wait for its versions. */
  waitMs: number;
}

/** Short steps of a run, on the queue of the workflows. */
export interface ExtractionSteps {
  /** Null when there is nothing to do. */
  takeExtraction(subject: { orgId: string; subjectId: string }): Promise<RunTaken | null>;
  /** Numbers of some items that are still to be done; none when the run is to stop. */
  listOpenItems(ref: RunRef, after: number): Promise<number[]>;
  /** Ends an item that no worker could do. */
  failItem(ref: RunRef, item: number, code: RunErrorCode): Promise<void>;
  /** @param unfinished what items that are not done failed by */
  finishExtraction(ref: RunRef, unfinished: RunErrorCode): Promise<void>;
}

/** Extraction from one document, on a queue with a slot for each engine. */
export interface EngineSteps {
  extractItem(ref: RunRef, item: number): Promise<void>;
}
