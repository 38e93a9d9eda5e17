/** What commands of the control plane need, and what those of the documents service need: the same and more, from one lock. */
export const CONTROL_PLANE = 'control-plane';
export const DOCUMENTS = 'documents';

/** The words after `npm ci` that install a set. */
export const INSTALL_WORDS = {
  [CONTROL_PLANE]: ['--workspaces=false'],
  // Native libraries are optional packages, which a person's own settings may leave out.
  [DOCUMENTS]: ['--workspace', 'documents', '--include-workspace-root', '--include=optional'],
};

/** The folder of the workspace, by which npm records it. */
const WORKSPACE = 'documents';
/** Packages with a native library for each platform, as npm places them. */
const NATIVE = ['node_modules/@llamaindex/liteparse-', 'node_modules/@img/sharp-'];

/**
 * The set to install so that `wanted` is there; null where nothing is missing. The larger set satisfies the smaller and is never taken
 * back: where it is, a new lock brings it again.
 *
 * @param state `locked` and `installed`: the packages of the lock file and of npm's own record, by place; `installed` is null where there
 * is none. `lockDigest` and `recordDigest` of these two files, `stamp` the digests and the set of the last install or null,
 * `machine` the `os`, `cpu` and `libc` of this one, `exists` whether a place is there
 */
export function setToInstall(wanted, state) {
  const present = setPresent(state);
  const suffices = present === DOCUMENTS || present === wanted;
  if (suffices && (wanted === CONTROL_PLANE || hasNativePackages(state))) return null;
  return wanted === DOCUMENTS || state.installed?.[WORKSPACE] !== undefined ? DOCUMENTS : CONTROL_PLANE;
}

function setPresent({ stamp, lockDigest, recordDigest, locked, installed }) {
  if (locked === null || installed === null) return null;
  if (stamp?.lock === lockDigest && stamp.record === recordDigest) return stamp.set;
  return holdsAll(locked, installed) ? DOCUMENTS : null;
}

/** Somebody who ran npm by hand has all that the lock names. Optional packages may be absent. */
function holdsAll(locked, installed) {
  return Object.entries(locked).every(([place, entry]) => {
    if (!place.startsWith('node_modules/') || entry.link) return true;
    const found = installed[place];
    if (found === undefined) return Boolean(entry.optional || entry.peer);
    return found.version === entry.version;
  });
}

/** Without the package of this machine the parsers would not start, or take a copy of the library that few systems can load. */
function hasNativePackages({ locked, installed, machine, exists }) {
  return NATIVE.every((prefix) =>
    Object.keys(locked)
      .filter((place) => place.startsWith(prefix) && isFor(locked[place], machine))
      .some((place) => installed[place] !== undefined && exists(place)),
  );
}

function isFor({ os, cpu, libc }, machine) {
  return os?.includes(machine.os) && cpu?.includes(machine.cpu) && (libc === undefined || libc.includes(machine.libc));
}
