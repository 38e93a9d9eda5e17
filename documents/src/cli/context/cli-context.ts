import type { Command } from 'commander';
import { callerFolder } from '../settings/caller-folder.js';
import { chooseCredential, originOf } from '../credentials/choose-credential.js';
import { TokenCache } from '../credentials/token-cache.js';
import { DocsvcApi } from '../server/docsvc-api.js';
import { configPlaces, readConfigFile, type ConfigPlaces } from '../settings/config-files.js';
import { resolveSettings, valuesOf, type LayerInputs, type ResolvedSettings } from '../settings/layers.js';
import type { Settings } from '../settings/setting-keys.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { inline } from '../terminal/escape.js';
import { renderRecord, renderRows, type Columns, type Style } from '../terminal/output.js';

/** Everything that a command works with: settings, the API, and where it prints. */
export class CliContext {
  readonly settings: Settings;
  readonly api: DocsvcApi;

  private constructor(
    readonly places: ConfigPlaces,
    readonly resolved: ResolvedSettings,
    private readonly layers: LayerInputs,
  ) {
    this.settings = valuesOf(resolved);
    const credential = (): ReturnType<typeof chooseCredential> =>
      chooseCredential({ layers, settings: resolved, ...places });
    this.api = new DocsvcApi(this.settings['defaults.api_url'], credential, new TokenCache(places.secrets));
  }

  /** The context in which a command runs. */
  static of(command: Command): CliContext {
    return CliContext.open(command.optsWithGlobals());
  }

  /** @param flags of the whole program and of the command */
  static open(flags: Readonly<Record<string, unknown>>): CliContext {
    const environment = process.env;
    const places = configPlaces(environment, callerFolder(environment, process.cwd()));
    const warn = (message: string): void => {
      if (flags['quiet'] !== true) process.stderr.write(`docsvc: ${inline(message)}\n`);
    };
    const layers: LayerInputs = {
      user: readConfigFile(places.user, warn),
      project: readConfigFile(places.project, warn),
      environment,
      flags,
    };
    return new CliContext(places, resolveSettings(layers), layers);
  }

  get origin(): string {
    return originOf(this.resolved);
  }

  /** The project that commands are about. @throws CliError `usage` where none is set */
  get project(): string {
    const project = this.settings['defaults.project'];
    if (project !== null) return project;
    throw new CliError('no project is set; run docsvc use PROJECT, or give --project ID', EXIT.usage);
  }

  /** Data, on standard output. */
  printRows(rows: readonly object[], columns: Columns): void {
    this.print(renderRows(rows, columns, this.style));
    if (rows.length === 0 && this.style.format === 'table') this.note('nothing found');
  }

  printRecord(record: object, columns: Columns): void {
    this.print(renderRecord(record, columns, this.style));
  }

  print(text: string): void {
    if (text !== '') process.stdout.write(`${text}\n`);
  }

  /** As {@link print}, and nothing is added. */
  write(text: string): void {
    process.stdout.write(text);
  }

  /** Progress and remarks, on standard error. */
  note(text: string): void {
    if (this.layers.flags['quiet'] !== true) process.stderr.write(`${inline(text)}\n`);
  }

  get style(): Style {
    const { flags, environment } = this.layers;
    const plain = flags['color'] === false || (environment['NO_COLOR'] ?? '') !== '';
    return {
      format: this.settings['defaults.output'],
      raw: flags['raw'] === true,
      color: !plain && process.stdout.isTTY === true,
      width: process.stdout.isTTY === true ? process.stdout.columns : null,
    };
  }
}
