/** One package of a lockfile, version 3. */
export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  /** A package of this repository. */
  readonly link?: boolean;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** A lockfile: packages by path, such as `node_modules/a/node_modules/b`. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** A third-party package that a published package needs. */
export interface LockedDependency {
  /** In the repository. */
  readonly source: string;
  /** Below the published package. */
  readonly place: string;
  readonly locked: LockedPackage;
}

/**
 * Returns the third-party packages that a package needs, direct and indirect, as in the repository's
 * lockfile, by path. Omits packages of the repository itself, with everything that only they need.
 *
 * @param folder of the package, such as `packages/server`
 * @param names its dependencies
 * @throws Error if the lockfile lacks one or its hash, or two versions would get the same path
 */
export function lockedDependencies(
  { packages }: Lockfile,
  folder: string,
  names: readonly string[],
): readonly LockedDependency[] {
  const found = new Map<string, LockedDependency>();
  const visit = (dependent: string, name: string, isNeeded: boolean): void => {
    const source = placeOf(packages, dependent, name);
    if (source === undefined) {
      if (isNeeded) throw new Error(`package-lock.json has no ${name} for ${dependent}: run npm install.`);
      return;
    }
    const locked = packages[source]!;
    if (locked.link === true) return;
    const place = source.startsWith(`${folder}/`) ? source.slice(folder.length + 1) : source;
    const known = found.get(place);
    if (known?.source === source) return;
    if (known) throw new Error(`${folder} needs two versions of ${name} in one place: pin one of them.`);
    if (locked.integrity === undefined) throw new Error(`package-lock.json has no integrity of ${source}.`);
    found.set(place, { source, place, locked });
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = locked;
    for (const each of Object.keys({ ...dependencies, ...optionalDependencies }))
      visit(source, each, !Object.hasOwn(optionalDependencies, each));
    for (const each of Object.keys(peerDependencies))
      if (locked.peerDependenciesMeta?.[each]?.optional !== true) visit(source, each, true);
  };
  for (const name of names) visit(folder, name, true);
  return [...found.values()].toSorted((one, other) => (one.place < other.place ? -1 : 1));
}

/** Returns the named packages and everything that they need, out of `bundled`. */
export function neededBy(
  names: readonly string[],
  bundled: readonly LockedDependency[],
): readonly LockedDependency[] {
  const needed = new Set<LockedDependency>();
  const visit = (name: string): void => {
    for (const each of bundled) {
      if (needed.has(each) || !each.place.endsWith(`node_modules/${name}`)) continue;
      needed.add(each);
      const { dependencies, optionalDependencies, peerDependencies } = each.locked;
      for (const next of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
        visit(next);
    }
  };
  for (const name of names) visit(name);
  return [...needed];
}

/** Finds a package as Node does: in the folder, or in a parent folder. */
function placeOf(packages: Lockfile['packages'], dependent: string, name: string): string | undefined {
  for (let folder = dependent; ; folder = folderAbove(folder)) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (Object.hasOwn(packages, place)) return place;
    if (folder === '') return undefined;
  }
}

function folderAbove(folder: string): string {
  const end = folder.lastIndexOf('/node_modules/');
  return end < 0 ? '' : folder.slice(0, end);
}
