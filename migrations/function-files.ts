import { readSql } from './sql-files.js';

/** A file of functions. Each is run whole and again whenever its text has changed. */
export interface FunctionFile {
  name: string;
  sql: string;
}

/** Functions of triggers, which exist before the tables do. */
export const TRIGGER_FUNCTIONS = 'functions/triggers.sql';

/** In this order: a function in SQL is checked when it is made, and comes after those that it calls. */
const FILES = [
  TRIGGER_FUNCTIONS,
  'functions/identity.sql',
  'functions/members.sql',
  'functions/device-logins.sql',
  'functions/sign-in.sql',
  'functions/agents.sql',
  'functions/catalog.sql',
  'functions/hosts.sql',
  'functions/runs.sql',
  'functions/lifecycle.sql',
  'functions/run-reads.sql',
  'functions/ledger.sql',
  'functions/approvals.sql',
  'functions/approval-reads.sql',
  'functions/notices.sql',
  'functions/network-grants.sql',
  'functions/gate.sql',
  'functions/reservations.sql',
  'functions/settlements.sql',
  'functions/setup.sql',
  'functions/statement-batches.sql',
  'functions/capacity.sql',
  'functions/outbox.sql',
  'functions/connections.sql',
  'functions/codehost.sql',
  'functions/subscriptions.sql',
  'functions/schedules.sql',
  'functions/ingress.sql',
  'functions/broker.sql',
  'functions/upstream.sql',
  'functions/oauth.sql',
  'functions/egress.sql',
  'functions/network-flows.sql',
  'functions/simulation.sql',
  'functions/uploads.sql',
  'functions/deliveries.sql',
  'functions/seal.sql',
  'functions/deployment.sql',
];

export function readFunctionFiles(): FunctionFile[] {
  return FILES.map((name) => ({ name, sql: readSql(name) }));
}
