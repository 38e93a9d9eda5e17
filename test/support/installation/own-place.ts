/** Width of the range of an installation (`SERVICE_SANDBOX_UID_BASE`), with room to spare. */
const UIDS_EACH = 8192;
/** Beyond the range of an installation that nobody has configured. */
const FIRST_UID = 300_000;

/** First of the host's uids for sandboxes of this worker of jest: what is counted by uid is counted for its own runs alone. */
export const SANDBOX_UID_BASE = FIRST_UID + UIDS_EACH * Number(process.env['JEST_WORKER_ID'] ?? 0);

/** Where programs of Node find what V8 compiled of them before (bootstrap/processes.mjs). */
export function compiledBefore(): NodeJS.ProcessEnv {
  const folder = process.env['NODE_COMPILE_CACHE'];
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}

/**
 * The environment in which a test starts an installation: of this process's own nothing but where programs are, and a place of its
 * own on a machine on which other suites start theirs at the same time.
 */
export function ownPlace(): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, ...compiledBefore(), SERVICE_SANDBOX_UID_BASE: String(SANDBOX_UID_BASE) };
}
