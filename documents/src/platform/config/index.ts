export { ConfigError } from '../../../../src/platform/config/config-error.js';
export { describeConfig, renderConfigurationDocument } from './describe-config.js';
export { configWarnings, loadConfig, NO_SEAL_KEY, requireSetting } from './load-config.js';
export { publicUrl } from './public-url.js';
export type { DocsvcConfig } from './sections.js';
