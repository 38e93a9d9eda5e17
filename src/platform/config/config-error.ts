/** A configuration that refuses the boot: one sentence that names the variable, what is wrong and what would be right. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(
    readonly variable: string,
    reason: string,
  ) {
    super(`${variable} ${reason}`);
  }
}
