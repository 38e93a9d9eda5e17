import pLimit from 'p-limit';
import { beginIngest, failPage } from '../core/ingest/ingest-moves.js';
import { finishVersion } from './finish-version.js';
import { whileHeartbeating } from '../../../src/platform/temporal/heartbeats.js';
import { indexVersion } from './index-version.js';
import type { IngestDependencies } from './ingest-dependencies.js';
import { hashVersion, needsHashingApart } from './hash-version.js';
import type { HashSteps, IngestSteps, ParseSteps, RecognitionSteps } from './ingest-steps.js';
import { joinPageTables } from './join-page-tables.js';
import { failureSentence, readSpan, recognizePage } from './read-span.js';
import { validateVersion } from './validate-version.js';

/** Documents whose pages and tables are held at once: each may take some hundred MiB. */
const HELD_AT_ONCE = 3;

/** The short steps of an ingest. Each may run twice, or beside itself, and comes to the same. */
export function createIngestActivities(on: IngestDependencies): IngestSteps {
  const place = pLimit(HELD_AT_ONCE);
  return {
    beginIngest: async ({ orgId, subjectId }) => {
      const subject = await on.record.inOrganization(orgId, (tx) => beginIngest(tx, subjectId));
      const { isFindable, timing } = on;
      if (subject === null) return null;
      const { attempt, projectId } = subject;
      const isHashedApart = needsHashingApart(subject);
      return { orgId, projectId, versionId: subjectId, attempt, isHashedApart, isFindable, timing };
    },
    validateVersion: (ref) => whileHeartbeating((signal) => validateVersion(on, ref, signal)),
    failPage: (parse, pageNumber, code) =>
      on.record.inOrganization(parse.orgId, (tx) =>
        failPage(tx, parse, parse.parseId, { pageNumber, code, message: failureSentence(code) }),
      ),
    joinTables: (parse) => whileHeartbeating((signal) => place(() => joinPageTables(on, parse, signal))),
    indexVersion: (parse) => whileHeartbeating((signal) => place(() => indexVersion(on, parse, signal))),
    finishVersion: (ref, parseId, ending) => whileHeartbeating(() => finishVersion(on, ref, parseId, ending)),
  };
}

/** Hashing of large files. */
export function createHashActivities(on: IngestDependencies): HashSteps {
  return { hashVersion: (ref) => whileHeartbeating((signal) => hashVersion(on, ref, signal)) };
}

/** Steps that run a parser. */
export function createParseActivities(on: IngestDependencies): ParseSteps {
  return { readSpan: (parse, span) => whileHeartbeating((signal) => readSpan(on, parse, span, signal)) };
}

/** Steps that recognize what pictures say. */
export function createRecognitionActivities(on: IngestDependencies): RecognitionSteps {
  return {
    recognizePage: (parse, pageNumber) => whileHeartbeating((signal) => recognizePage(on, parse, pageNumber, signal)),
  };
}
