/** A package of the repository that is published. */
export interface PublishedPackage {
  /** Relative to the repository, with `/`. */
  readonly folder: string;
  /** Modules of private packages that go along, because nobody can install those packages. */
  readonly carried: readonly CarriedModule[];
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

/** One module of a private package. It may import nothing but what the published package has too. */
export interface CarriedModule {
  /** What the published package imports, and gets this module for. */
  readonly specifier: string;
  /** Where the module is, relative to the repository, with `/`. */
  readonly sourceFolder: string;
  readonly file: string;
  /** The folder of the build that it goes to. */
  readonly outFolder: string;
  /** Whether all modules below the source folder go along, because this one imports them. Alone unless set. */
  readonly wholeFolder?: boolean;
}

/** The packages that are published. Each one is built into its own `dist` folder, and published from there. */
export const publishedPackages: readonly PublishedPackage[] = [
  { folder: 'packages/signature', carried: [] },
  { folder: 'packages/explain', carried: [] },
  {
    folder: 'packages/cli',
    carried: [
      {
        // Of the contract the command line uses the table of problems; with all of it would come the schema library.
        specifier: '@countersign/contract/problems',
        sourceFolder: 'packages/contract/src',
        file: 'problems.ts',
        outFolder: 'contract',
      },
    ],
    renamed: { '@countersign/server': 'countersign-server' },
  },
  {
    folder: 'packages/server',
    carried: [
      {
        specifier: '@countersign/contract',
        sourceFolder: 'packages/contract/src',
        file: 'index.ts',
        outFolder: 'contract',
        wholeFolder: true,
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
