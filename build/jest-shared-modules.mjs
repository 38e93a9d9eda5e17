import { existsSync, readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { SyntheticModule } from 'node:vm';
import Runtime from 'jest-runtime';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const load = createRequire(import.meta.url);
const OWN_MODULES = /^\/\*\* @own-modules /;
const EXPECTATIONS = new Set(['expect', '@jest/expect']);
/** Parts of jest that remember nothing of a suite, and take twice as long to load as most suites to run. */
const STATELESS = new Set([
  'jest-each',
  'jest-matcher-utils',
  'jest-message-util',
  'jest-snapshot',
  'jest-util',
  'pretty-format',
]);
/** Packages that belong to one suite: those of jest itself. */
const OF_THE_SUITE = /^node_modules\/(@jest\/|jest-|jest\/|expect\/)/;

/**
 * The modules of the product and its packages, loaded by Node itself and once for each worker instead of once for each suite: they
 * take two seconds of processor time, and suites ask for them two hundred times. The product is taken from dist/. What a suite has
 * of its own, its file and those of test/, is loaded anew for each. A suite whose first line says `@own-modules` shares nothing.
 */
export default class SharedModulesRuntime extends Runtime {
  #before = stateOfProcess();
  #shares;

  constructor(config, environment, resolver, transformer, sources, coverage, path, ...rest) {
    super(config, environment, resolver, transformer, sources, coverage, path, ...rest);
    this.#shares = !OWN_MODULES.test(readFileSync(path, 'utf8'));
    if (!this.#shares) return;
    // Everything in the realm of Node's own loader: values of two realms are not instances of each other's classes.
    this.esmLoader.getContext = () => undefined;
    const modulesOf = this.registries.getActiveEsmRegistry.bind(this.registries);
    this.registries.getActiveEsmRegistry = () => withShared(modulesOf());
  }

  /** Expectations look at values of the suite, so they belong to its realm: `expect.any(String)` names its String. */
  requireInternalModule(from, name) {
    if (this.#shares && (EXPECTATIONS.has(name) || STATELESS.has(name))) return createRequire(from)(name);
    return super.requireInternalModule(from, name);
  }

  teardown() {
    super.teardown();
    restoreProcess(this.#before);
  }
}

/** What a suite may change of the process that it shares with the next one. */
function stateOfProcess() {
  return { env: { ...process.env }, exitCode: process.exitCode, listeners: signalListeners() };
}

function restoreProcess({ env, exitCode, listeners }) {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.exitCode = exitCode;
  for (const [signal, listener] of signalListeners()) {
    if (!listeners.some(([, known]) => known === listener)) process.off(signal, listener);
  }
}

function signalListeners() {
  const signals = process.eventNames().filter((name) => typeof name === 'string' && name.startsWith('SIG'));
  return signals.flatMap((signal) => process.rawListeners(signal).map((listener) => [signal, listener]));
}

/** @returns the registry, which knows the shared modules without having been told of them */
function withShared(registry) {
  if (Object.hasOwn(registry, 'get')) return registry;
  registry.get = (key) => {
    const known = Map.prototype.get.call(registry, key);
    if (known !== undefined) return known;
    const path = sharedPath(key);
    if (path === undefined) return undefined;
    const module = wrapped(key, load(path));
    registry.set(key, module);
    return module;
  };
  return registry;
}

/** What Node loads for the module of this address; undefined for one that belongs to the suite. */
function sharedPath(key) {
  if (isBuiltin(key)) return key;
  if (!key.startsWith(`file://${ROOT}`)) return undefined;
  const name = fileURLToPath(key).slice(ROOT.length);
  if (name.startsWith('dist/')) return ROOT + name;
  if (name.startsWith('node_modules/')) return OF_THE_SUITE.test(name) ? undefined : ROOT + name;
  const built = `${ROOT}dist/${name.replace(/\.ts$/, '.js')}`;
  return /^(documents\/)?(src|migrations)\/.*\.ts$/.test(name) && existsSync(built) ? built : undefined;
}

function wrapped(identifier, exports) {
  const isModule = Object.prototype.toString.call(exports) === '[object Module]';
  const members = exports !== null && /^(object|function)$/.test(typeof exports) ? Object.keys(exports) : [];
  const names = new Set(isModule ? members : [...members, 'default']);
  const module = new SyntheticModule(
    [...names],
    () => {
      for (const name of names) module.setExport(name, isModule || name !== 'default' ? exports[name] : exports);
    },
    { identifier },
  );
  return module;
}
