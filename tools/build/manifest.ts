/** The members of a package.json that the build reads. */
export interface SourceManifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly description?: string;
  readonly license?: string;
  readonly author?: string;
  readonly keywords?: readonly string[];
  readonly type?: string;
  readonly sideEffects?: boolean;
  readonly engines?: { readonly node: string };
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The package.json of a published package. */
export interface PublishedManifest extends Omit<
  SourceManifest,
  'private' | 'exports' | 'optionalDependencies'
> {
  readonly engines: { readonly node: string };
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  /** Dependencies that are bundled with the package. */
  readonly bundleDependencies?: readonly string[];
}

export interface ManifestSurroundings {
  /** All manifests of the repository, by name. */
  readonly workspace: ReadonlyMap<string, SourceManifest>;
  /** Private packages that are partly built in. */
  readonly carriedNames: ReadonlySet<string>;
}

/**
 * Returns the manifest to publish. Source paths become build paths. Dependencies on private packages
 * disappear: those are built in, or optional and found only inside the repository. With
 * `bundlesDependencies`, third-party ones are bundled with the package.
 */
export function publishedManifest(
  source: SourceManifest,
  { workspace }: Pick<ManifestSurroundings, 'workspace'>,
  bundlesDependencies = false,
): PublishedManifest {
  const { name, version, description, license, author, keywords } = source;
  const { type, sideEffects, engines, bin, dependencies = {} } = source;
  const kept = Object.entries(dependencies).filter(([dependency]) => !workspace.get(dependency)?.private);
  return {
    name,
    version,
    ...(description !== undefined && { description }),
    ...(license !== undefined && { license }),
    ...(author !== undefined && { author }),
    ...(keywords !== undefined && { keywords }),
    ...(type !== undefined && { type }),
    ...(sideEffects !== undefined && { sideEffects }),
    engines: engines ?? oldestNode,
    ...(bin && {
      bin: Object.fromEntries(
        Object.entries(bin).map(([command, file]) => [command, file.replace(/^\.\//, '')]),
      ),
    }),
    exports: {
      ...Object.fromEntries(
        Object.entries(source.exports ?? {}).map(([entry, file]) => [
          entry,
          // The first matching condition wins, so the types come first.
          { types: builtPath(file, '.d.ts'), default: builtPath(file, '.js') },
        ]),
      ),
      // A package without exports would expose all its files.
      './package.json': './package.json',
    },
    ...(kept.length > 0 && { dependencies: Object.fromEntries(kept) }),
    ...(bundlesDependencies && {
      bundleDependencies: kept
        .map(([dependency]) => dependency)
        .filter((dependency) => !workspace.has(dependency)),
    }),
  };
}

/** Lists the reasons why a package cannot be published with this manifest, one sentence each. */
export function manifestMistakes(
  source: SourceManifest,
  { workspace, carriedNames }: ManifestSurroundings,
): string[] {
  const { name, version, dependencies = {} } = source;
  const mistakes: string[] = [];
  if (source.private) mistakes.push(`${name} is private.`);
  if (!isExactVersion(version)) mistakes.push(`${name} has no version such as 1.2.3, but "${version}".`);
  if (!source.description) mistakes.push(`${name} has no description.`);
  if (!source.license) mistakes.push(`${name} has no license.`);
  if (source.type !== 'module')
    mistakes.push(`${name} must say "type": "module": the build has no other form.`);
  for (const [entry, file] of Object.entries(source.exports ?? {})) {
    if (!/^\.\/src\/.+\.ts$/.test(file))
      mistakes.push(`${name} exports ${file} as "${entry}": not ./src/….ts.`);
  }
  for (const [dependency, range] of Object.entries(dependencies)) {
    const inRepository = workspace.get(dependency);
    if (inRepository?.private && !carriedNames.has(dependency)) {
      mistakes.push(`${name} depends on ${dependency}, which is private: nobody could install it.`);
    } else if (!isExactVersion(range)) {
      mistakes.push(`${name} depends on ${dependency} "${range}": the version must be exact.`);
    } else if (inRepository && inRepository.version !== range) {
      mistakes.push(
        `${name} depends on ${dependency} ${range}, and the repository has ${inRepository.version}.`,
      );
    }
  }
  return mistakes;
}

/** The default; `types.json` next to this file checks that nothing newer is used. */
const oldestNode = { node: '>=22' } as const;

function builtPath(file: string, extension: '.js' | '.d.ts'): string {
  return file.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, extension);
}

function isExactVersion(text: string): boolean {
  return /^\d+\.\d+\.\d+(-[\da-z.-]+)?$/i.test(text);
}
