import { readSql } from './sql-files.js';

/** Functions of triggers, which exist before the tables do. */
export const TRIGGER_FUNCTIONS = 'functions/triggers.sql';

/** In this order: a function in SQL is checked when it is made, and comes after those that it calls. */
const FILES = [
  TRIGGER_FUNCTIONS,
  'functions/organizations.sql',
  'functions/access.sql',
  'functions/requests.sql',
  'functions/driver.sql',
  'functions/webhooks.sql',
  'functions/documents.sql',
  'functions/uploads.sql',
  'functions/pages.sql',
  'functions/ingest.sql',
  'functions/extractions.sql',
  'functions/extraction-moves.sql',
  'functions/search.sql',
  'functions/maintenance.sql',
];

/** A file of functions for each concern. Each is run whole and again whenever its text has changed. */
export function readFunctionFiles(): { name: string; sql: string }[] {
  return FILES.map((name) => ({ name, sql: readSql(name) }));
}
