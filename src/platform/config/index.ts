export { ConfigError } from './config-error.js';
export { describeConfig, renderConfigurationDocument } from './describe-config.js';
export { configWarnings, loadConfig, requireSetting } from './load-config.js';
export type { ListenAddress } from './readers.js';
export type { SandgateConfig } from './sections.js';
export { defaultDataDir } from './data.config.js';
export { publicUrl } from './public-url.js';
export { ensureHostId } from './host-id.js';
