import { describe } from '@jest/globals';
import { shareDeployment } from '../../support/installation/share-deployment.js';
import { goesThroughAll } from '../extractions/long-runs.part.js';
import { repeatsDuties } from '../maintenance/schedules.part.js';
import { endsBombs } from './bombs.part.js';
import { readsOnce } from './ingest.part.js';
import { showsPages } from './pages.part.js';
import { readsScans } from './scans.part.js';

describe('documents on one deployment', () => {
  const enter = shareDeployment();

  describe('an ingest', () => readsOnce(enter));
  describe('the pages of a document', () => showsPages(enter));
  describe('a scan, from its upload to its words', () => readsScans(enter));
  describe('documents that are made to exhaust the service', () => endsBombs(enter));
  describe('a run over many documents', () => goesThroughAll(enter));
  describe('what schedules do again and again', () => repeatsDuties(enter));
});
