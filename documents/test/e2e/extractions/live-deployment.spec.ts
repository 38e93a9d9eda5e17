import { describe } from '@jest/globals';
import { shareDeployment } from '../../support/installation/share-deployment.js';
import { outlivesDocuments } from './gone-documents.part.js';
import { needsOneCommand } from './one-command.part.js';
import { goesToItsEnd } from './runs.part.js';

describe('extraction on one deployment', () => {
  const enter = shareDeployment({
    ...{ DOCSVC_EXTRACTORS: '1', DOCSVC_EGRESS_ALLOW_CIDRS: '127.0.0.0/8', DOCSVC_RATE_REQUESTS_PER_MIN: '100000' },
  });

  describe('docsvc extract', () => needsOneCommand(enter));
  describe('documents that change or go while their extraction runs', () => outlivesDocuments(enter));
  describe('runs of extraction from their request to their end', () => goesToItsEnd(enter));
});
