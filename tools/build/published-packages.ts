/** A package of the repository that is published. */
export interface PublishedPackage {
  /** Relative to the repository, with `/`. */
  readonly folder: string;
  /** Private packages that go along, because nobody can install them. */
  readonly carried: readonly CarriedPackage[];
  /** Folders of other packages that go along as their builds made them. */
  readonly folders?: readonly BuiltFolder[];
  /** What a private package is published as; undefined for one that is published as it stands. */
  readonly as?: PublishedIdentity;
  /** The packages of the repository that it imports and that are published under other names, by their own names. */
  readonly renamed?: Readonly<Record<string, string>>;
}

/** How a package is called outside the repository, where its own name means nothing. */
export interface PublishedIdentity {
  readonly name: string;
  /** Its programs, by their names: paths relative to the folder of the package. */
  readonly bin: Readonly<Record<string, string>>;
  /** The Node that it needs. */
  readonly node: string;
}

/** A folder that something else has built. */
export interface BuiltFolder {
  /** Relative to the repository, with `/`. */
  readonly from: string;
  /** Relative to the package. */
  readonly to: string;
  /** A file that is there when it was built. */
  readonly proof: string;
  /** Files of it that only the build needs. */
  readonly leftOut: readonly string[];
}

/** A private package, or some modules of one, built into the package that imports it. */
export interface CarriedPackage {
  readonly name: string;
  /** Relative to the repository, with `/`. */
  readonly sourceFolder: string;
  /** What the published package imports: the module of each specifier, relative to the source folder. */
  readonly entries: Readonly<Record<string, string>>;
  /** The folder of the build that it goes to. */
  readonly outFolder: string;
  /** Whether the entries import other modules of the package: then all of them go along. */
  readonly isWhole: boolean;
}

/** The packages that are published. Each one is built into its own `dist` folder, and published from there. */
export const publishedPackages: readonly PublishedPackage[] = [
  { folder: 'packages/signature', carried: [] },
  { folder: 'packages/explain', carried: [] },
  {
    folder: 'packages/cli',
    carried: [
      {
        // The command line uses the table of problems alone; the whole contract would bring the schema library.
        name: '@countersign/contract',
        sourceFolder: 'packages/contract/src',
        entries: { '@countersign/contract/problems': 'problems.ts' },
        outFolder: 'contract',
        isWhole: false,
      },
    ],
    renamed: { '@countersign/server': 'countersign-server' },
  },
  {
    folder: 'packages/server',
    carried: [
      {
        name: '@countersign/contract',
        sourceFolder: 'packages/contract/src',
        entries: {
          '@countersign/contract': 'index.ts',
          '@countersign/contract/ids': 'ids.ts',
          '@countersign/contract/network': 'network.ts',
          '@countersign/contract/permissions': 'permissions.ts',
          '@countersign/contract/problems': 'problems.ts',
        },
        outFolder: 'contract',
        isWhole: true,
      },
      {
        name: '@countersign/gate',
        sourceFolder: 'packages/gate/src',
        entries: { '@countersign/gate': 'index.ts' },
        outFolder: 'gate',
        isWhole: true,
      },
    ],
    folders: [
      {
        from: 'packages/portal/dist',
        to: 'portal',
        proof: 'index.html',
        leftOut: ['.built-from', 'manifest.json'],
      },
    ],
    as: {
      name: 'countersign-server',
      bin: { 'countersign-server': './bin/countersign-server.js' },
      // The oldest whose node:sqlite does what the service needs.
      node: '>=24',
    },
  },
];
