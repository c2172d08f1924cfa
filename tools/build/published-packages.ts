export interface PublishedPackage {
  /** Relative to the repository, with `/`. */
  readonly folder: string;
  /** True if its types follow from schemas. Otherwise each export has an explicit type. */
  readonly infersTypes?: boolean;
  /** Private packages built into this one, because users could not install them. */
  readonly carried: readonly CarriedPackage[];
  /** Build output of other packages that is copied along. */
  readonly folders?: readonly BuiltFolder[];
  /** Files that its programs read, relative to the package. */
  readonly programFiles?: readonly string[];
  /** The public identity of a private package; undefined for a package that is published under its own name. */
  readonly as?: PublishedIdentity;
  /**
   * True for a program that is installed to run: its third-party packages are bundled, with the versions of
   * the repository's lockfile and a bill of materials. A library leaves them to the lockfile of the program
   * that uses it.
   */
  readonly bundlesDependencies?: boolean;
  /** Set where modules are joined into a few files, so that a program starts quickly. */
  readonly joined?: JoinedParts;
  /** Imported packages that are published under another name, by their name in the repository. */
  readonly renamed?: Readonly<Record<string, string>>;
}

/** The name and the programs of a package outside the repository. */
export interface PublishedIdentity {
  readonly name: string;
  /** Programs by name, as paths relative to the package. */
  readonly bin: Readonly<Record<string, string>>;
  readonly node: string;
}

export interface JoinedParts {
  /** Modules that its programs import, relative to `dist/`; what the package exports is added. */
  readonly entries: readonly string[];
  /** Third-party packages that stay in files of their own, with everything that they need. */
  readonly separate: readonly string[];
}

export interface BuiltFolder {
  /** Relative to the repository, with `/`. */
  readonly from: string;
  /** Relative to the package. */
  readonly to: string;
  /** A file that exists once it has been built. */
  readonly proof: string;
  /** Files that only the build needs. */
  readonly leftOut: readonly string[];
}

/** A private package, or some modules of one, built into the package that imports it. */
export interface CarriedPackage {
  readonly name: string;
  /** Relative to the repository, with `/`. */
  readonly sourceFolder: string;
  /** The module behind each imported specifier, relative to the source folder. */
  readonly entries: Readonly<Record<string, string>>;
  /** Relative to `dist/`. */
  readonly outFolder: string;
  /**
   * The modules that are built in: the entries alone, all of the package, or the entries and these patterns, because the
   * entries import them.
   */
  readonly modules: 'entries' | 'all' | readonly string[];
}

/** Service and middleware decide with the same gate. */
const gate: CarriedPackage = {
  name: '@countersign/gate',
  sourceFolder: 'packages/gate/src',
  entries: {
    '@countersign/gate': 'index.ts',
    '@countersign/gate/folder-lock': 'replay/folder-lock.ts',
    '@countersign/gate/private-folder': 'http/private-folder.ts',
    '@countersign/gate/loop-turns': 'http/loop-turns.ts',
    '@countersign/gate/node-http': 'http/node-http.ts',
    '@countersign/gate/upstream': 'proxy/upstream.ts',
    '@countersign/gate/upstream-check': 'proxy/upstream-check.ts',
    '@countersign/gate/envoy-grpc': 'envoy-grpc/check-server.ts',
  },
  outFolder: 'gate',
  modules: 'all',
};

/** The gate without the code that opens connections to upstreams, which would bring undici. */
const gateOfMiddleware: CarriedPackage = {
  ...gate,
  entries: {
    '@countersign/gate': 'index.ts',
    '@countersign/gate/folder-lock': 'replay/folder-lock.ts',
    '@countersign/gate/private-folder': 'http/private-folder.ts',
  },
  modules: [
    '*.ts',
    '{authorizers,decision,http,limits,replay,routes}/*.ts',
    'proxy/{cross-origin,forwarded-headers,forwarded-signature,gateway,relay,response-signature,returned-headers,signed-answer,tunnel,upgrades,whole-body}.ts',
    'proxy/upstream-{error,request,settings}.ts',
  ],
};

/** Each is built into its own `dist` folder and published from there. */
export const publishedPackages: readonly PublishedPackage[] = [
  { folder: 'packages/signature', carried: [], joined: { entries: [], separate: [] } },
  { folder: 'packages/explain', carried: [], joined: { entries: [], separate: [] } },
  { folder: 'packages/upstream', carried: [] },
  { folder: 'packages/client', carried: [] },
  { folder: 'packages/key-store', carried: [] },
  { folder: 'packages/pkcs11', carried: [] },
  { folder: 'packages/vault', carried: [] },
  { folder: 'packages/aws-kms', carried: [] },
  { folder: 'packages/google-kms', carried: [] },
  { folder: 'packages/azure-key-vault', carried: [] },
  {
    folder: 'packages/cli',
    programFiles: ['bin/help.json'],
    carried: [
      {
        // The command line uses the tables of problems and operations; the whole contract would bring the schema library.
        name: '@countersign/contract',
        sourceFolder: 'packages/contract/src',
        entries: {
          '@countersign/contract/audit-chain': 'audit-chain.ts',
          '@countersign/contract/ids': 'ids.ts',
          '@countersign/contract/operations': 'operations.ts',
          '@countersign/contract/problems': 'problems.ts',
        },
        outFolder: 'contract',
        modules: ['operations/*.ts', 'limits.ts'],
      },
    ],
    renamed: { '@countersign/server': 'countersign-server' },
  },
  {
    folder: 'packages/middleware',
    carried: [
      {
        // Without the schemas, which would bring the schema library.
        name: '@countersign/contract',
        sourceFolder: 'packages/contract/src',
        entries: {
          '@countersign/contract/ids': 'ids.ts',
          '@countersign/contract/network': 'network.ts',
          '@countersign/contract/permissions': 'permissions.ts',
          '@countersign/contract/problems': 'problems.ts',
        },
        outFolder: 'contract',
        modules: ['network/*.ts'],
      },
      gateOfMiddleware,
    ],
    renamed: { '@countersign/server': 'countersign-server' },
  },
  {
    folder: 'packages/server',
    infersTypes: true,
    bundlesDependencies: true,
    // Users' tracing watches the queries of these by replacing their modules. Both are loaded only where they are used.
    joined: { entries: ['main.js'], separate: ['pg', '@redis/client'] },
    carried: [
      {
        name: '@countersign/contract',
        sourceFolder: 'packages/contract/src',
        entries: {
          '@countersign/contract': 'index.ts',
          '@countersign/contract/audit-chain': 'audit-chain.ts',
          '@countersign/contract/ids': 'ids.ts',
          '@countersign/contract/network': 'network.ts',
          '@countersign/contract/openapi': 'openapi.ts',
          '@countersign/contract/operation-schemas': 'operation-schemas.ts',
          '@countersign/contract/permissions': 'permissions.ts',
          '@countersign/contract/problems': 'problems.ts',
          '@countersign/contract/schemas': 'schemas.ts',
          '@countersign/contract/webhook-catalogue': 'openapi/webhook-catalogue.ts',
        },
        outFolder: 'contract',
        modules: 'all',
      },
      gate,
    ],
    folders: [
      {
        from: 'packages/portal/dist',
        to: 'portal',
        proof: 'index.html',
        leftOut: ['.built-from', 'manifest.json', 'manifest.de.json'],
      },
    ],
    as: {
      name: 'countersign-server',
      bin: { 'countersign-server': './bin/countersign-server.js' },
      // The oldest whose node:sqlite is sufficient for the service.
      node: '>=24',
    },
  },
];
