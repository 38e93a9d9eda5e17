/** Something is missing that this script cannot bring: one sentence that says what, and how to provide it. */
export class BootstrapError extends Error {}
