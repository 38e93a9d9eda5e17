/** The configuration as the command line uses it: to print it, and to start installations from it. */
export {
  ConfigError,
  configWarnings,
  defaultDataDir,
  describeConfig,
  loadConfig,
  renderConfigurationDocument,
} from '../platform/config/index.js';
