/** What the command line may know of the configuration: it reads and prints it, and starts installations from it. */
export {
  ConfigError,
  configWarnings,
  defaultDataDir,
  describeConfig,
  loadConfig,
  renderConfigurationDocument,
} from '../platform/config/index.js';
