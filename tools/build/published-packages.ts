/** A package of the repository that is published. */
export interface PublishedPackage {
  /** Relative to the repository, with `/`. */
  readonly folder: string;
  /** Modules of private packages that go along, because nobody can install those packages. */
  readonly carried: readonly CarriedModule[];
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
}

/** The packages that are published. Each one is built into its own `dist` folder, and published from there. */
export const publishedPackages: readonly PublishedPackage[] = [
  { folder: 'packages/signature', carried: [] },
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
  },
];
