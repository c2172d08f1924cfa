import type { Circle } from './circles.ts';
import type { ImportKind } from './imports.ts';

/** The target of an import. */
export type Target =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'package'; readonly name: string; readonly specifier: string }
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'computed' };

/** One statement of ARCHITECTURE.md about a room of the house, in the same words. */
export interface Row {
  /** The folder whose row states it, or `everywhere`. */
  readonly room: string;
  /** A part of the row's last cell, in which semicolons separate the parts. */
  readonly clause: string;
  /** The explanation shown with a violation. */
  readonly why: string;
}

/** A row that forbids imports. */
export interface Rule extends Row {
  /** The files that it is about: the whole room by default. Listed files must exist. */
  readonly appliesTo?: readonly string[] | ((file: string) => boolean);
  /** An import that any of these matches is a violation. */
  readonly forbids: readonly Forbidden[];
  /** True if the target must also not be reached at run time through other files of the same package. */
  readonly throughOthers?: boolean;
}

type Forbidden = (target: Target, kind: ImportKind, file: string) => boolean;

/** Matches the files of a room: for a package those in `src` and `bin`, everywhere those of the product. */
export function codeOf(room: string): (file: string) => boolean {
  const product =
    room === 'everywhere' ? /^packages\/(?!testing\/)[^/]+\/(src|bin)\// : /^packages\/[^/]+\/(src|bin)\//;
  return (file) => product.test(file) && (room === 'everywhere' || file.startsWith(`${room}/`));
}

const anyNode: Forbidden = (target) => target.kind === 'node';
const anyPackage: Forbidden = (target) => target.kind === 'package';
const packagesBut = (...names: readonly string[]): Forbidden => {
  return (target) => target.kind === 'package' && !names.includes(target.name);
};
const packages = (pattern: RegExp): Forbidden => {
  return (target) => target.kind === 'package' && pattern.test(target.specifier);
};
const nodeModules = (...names: readonly string[]): Forbidden => {
  return (target) => target.kind === 'node' && names.includes(target.name);
};
/** Files, and whole folders by their path with a `/` at the end. */
const files = (...paths: readonly string[]): Forbidden => {
  return (target) =>
    target.kind === 'file' &&
    paths.some((path) => (path.endsWith('/') ? target.path.startsWith(path) : target.path === path));
};
/** Imports that run, not those that are erased. */
const values = (forbidden: Forbidden): Forbidden => {
  return (target, kind, file) => kind !== 'type' && forbidden(target, kind, file);
};
/** Everything in a source folder except the named rooms. */
const foldersBut = (source: string, ...rooms: readonly string[]): Forbidden => {
  return (target) =>
    target.kind === 'file' &&
    target.path.startsWith(`${source}/`) &&
    !rooms.some((room) => target.path.startsWith(`${source}/${room}/`));
};
/** Packages of this repository that are not named. */
const ownPackagesBut = (...names: readonly string[]): Forbidden => {
  return (target) =>
    target.kind === 'package' &&
    /^(@countersign\/|countersign$)/.test(target.name) &&
    !names.includes(target.name);
};

const packageFolder = (path: string): string => path.split('/', 2).join('/');

const signature = 'packages/signature/src';
const client = 'packages/client/src';
/** The library's entries for Node, and the folder with its algorithms on Node. */
const signatureOnNode = ['node.ts', 'on-node/', 'shared-seconds.ts'].map((name) => `${signature}/${name}`);
const importsSignatureOnNode = /^@countersign\/signature\/(node|shared-seconds)$/;
/** The entry for Node and its folder, and the adapters of HTTP clients that only run on Node. */
const clientOnNode = /^\/(on-node\/|(node|undici|got|http)\.ts$)/;
const contract = 'packages/contract/src';
const gate = 'packages/gate/src';
const server = 'packages/server/src';
const people = `${server}/people`;
const identity = `${people}/identity`;
/** The entries of the contract that load without its schema library. */
const zodFree = [
  'audit-chain',
  'ids',
  'network',
  'operations',
  'permissions',
  'problems',
  'signing-algorithms',
];
/** The parts of the service that work without it. */
const serverParts = ['@countersign/server/local-registry', '@countersign/server/routes'];
const serviceRegistry = '@countersign/server/service-registry';

/** Packages that the command line loads if they are installed. */
const optionalForCli = [
  ...serverParts,
  ...['pkcs11', 'vault', 'aws-kms', 'google-kms', 'azure-key-vault'].map((name) => `@countersign/${name}`),
];

/** The interface, and the tables of the database. */
const identityEntries = ['identity', 'tables'].map((name) => `${identity}/${name}.ts`);
const identityLibraries = packages(
  /^(@noble\/ciphers|@simplewebauthn\/server|nodemailer|openid-client|otpauth)/,
);

/** The rules about imports, in the order of ARCHITECTURE.md. */
export const rules: readonly Rule[] = [
  {
    room: 'packages/signature',
    clause: 'imports nothing',
    why: 'The library is published for every runtime; whoever installs it gets it and nothing else.',
    forbids: [anyPackage],
  },
  {
    room: 'packages/signature',
    clause: 'only `src/node.ts`, `src/on-node/` and `src/shared-seconds.ts` know Node',
    why: 'The library also runs in browsers, workers, Deno and Bun.',
    appliesTo: (file) =>
      file.startsWith(`${signature}/`) && !signatureOnNode.some((place) => file.startsWith(place)),
    forbids: [anyNode, files(...signatureOnNode)],
  },
  {
    room: 'packages/explain',
    clause: 'imports signature alone',
    why: 'The portal and the command line load it too; it depends on nothing but the library that it explains.',
    forbids: [packagesBut('@countersign/signature')],
  },
  {
    room: 'packages/explain',
    clause: 'only `src/node.ts` knows Node',
    why: 'The debugger in the portal runs it in a browser.',
    appliesTo: (file) => file.startsWith('packages/explain/src/') && file !== 'packages/explain/src/node.ts',
    forbids: [anyNode, packages(importsSignatureOnNode), files('packages/explain/src/node.ts')],
  },
  {
    room: 'packages/upstream',
    clause: 'imports signature alone',
    why: 'APIs install it to check what they get: they get the library, and nothing of the service.',
    forbids: [packagesBut('@countersign/signature')],
  },
  {
    room: 'packages/client',
    clause: 'imports signature alone',
    why: 'Whoever installs it gets the library and nothing else; HTTP clients are the structural types of what they hand over.',
    forbids: [packagesBut('@countersign/signature')],
  },
  {
    room: 'packages/client',
    clause: "only `src/node.ts`, `src/on-node/` and the adapters of Node's clients know Node",
    why: 'The signing fetch also runs in browsers, workers, Deno and Bun.',
    appliesTo: (file) => file.startsWith(`${client}/`) && !clientOnNode.test(file.slice(client.length)),
    forbids: [anyNode, packages(importsSignatureOnNode), files(`${client}/node.ts`, `${client}/on-node/`)],
  },
  {
    room: 'packages/key-store',
    clause: 'imports nothing',
    why: 'Every package for a key store brings it along, and a signer takes its keys by their shape.',
    forbids: [anyPackage],
  },
  {
    room: 'packages/pkcs11',
    clause: 'imports key-store alone',
    why: 'Bindings of others compile themselves when they are installed; node:ffi comes with Node.',
    forbids: [packagesBut('@countersign/key-store')],
  },
  {
    room: 'packages/vault',
    clause: 'imports key-store alone',
    why: 'Vault speaks plain HTTP; a program that signs with it installs no client of it.',
    forbids: [packagesBut('@countersign/key-store')],
  },
  {
    room: 'packages/aws-kms',
    clause: 'imports key-store and the client of AWS',
    why: "Each key store brings its vendor's client and no other one.",
    forbids: [packagesBut('@countersign/key-store', '@aws-sdk/client-kms')],
  },
  {
    room: 'packages/google-kms',
    clause: 'imports key-store and the library for credentials of Google',
    why: 'The REST API is enough to sign; the gRPC client would bring a hundred packages.',
    forbids: [packagesBut('@countersign/key-store', 'google-auth-library')],
  },
  {
    room: 'packages/azure-key-vault',
    clause: 'imports key-store alone',
    why: 'The REST API is enough to sign; credentials are a structural type, which programs on Azure have anyway.',
    forbids: [packagesBut('@countersign/key-store')],
  },
  {
    room: 'packages/contract',
    clause: 'imports zod alone',
    why: 'Service, portal and command line all load it, the portal in a browser.',
    forbids: [anyNode, packagesBut('zod')],
  },
  {
    room: 'packages/contract',
    clause:
      '`./audit-chain`, `./ids`, `./network`, `./operations`, `./permissions`, `./problems` and `./signing-algorithms` reach no zod',
    why: 'The gate and the published command line load these tables without the schema library.',
    appliesTo: zodFree.map((name) => `${contract}/${name}.ts`),
    forbids: [packages(/^zod/)],
    throughOthers: true,
  },
  {
    room: 'packages/gate',
    clause: 'imports signature, undici, Connect, and of contract what reaches no zod',
    why: 'It decides about every request, also where there is no management API; storage, log and metrics are interfaces.',
    forbids: [
      packagesBut(
        '@countersign/signature',
        '@countersign/contract',
        'undici',
        '@bufbuild/protobuf',
        '@connectrpc/connect',
      ),
      (target) =>
        target.kind === 'package' &&
        target.name === '@countersign/contract' &&
        !zodFree.some((name) => target.specifier === `@countersign/contract/${name}`),
    ],
  },
  {
    room: 'packages/gate',
    clause: 'only `src/proxy/` imports undici',
    why: 'Only the gateway opens connections; a decision never does.',
    appliesTo: (file) => file.startsWith(`${gate}/`) && !file.startsWith(`${gate}/proxy/`),
    forbids: [packages(/^undici/)],
  },
  {
    room: 'packages/gate',
    clause: 'only `src/envoy-grpc/` imports Connect',
    why: 'Only those who run Envoy with gRPC load a gRPC library; the service imports that folder when it is set up.',
    appliesTo: (file) => file.startsWith(`${gate}/`) && !file.startsWith(`${gate}/envoy-grpc/`),
    forbids: [packages(/^@(bufbuild|connectrpc)\//), files(`${gate}/envoy-grpc/`)],
  },
  {
    room: 'packages/middleware',
    clause:
      "imports gate and signature, of contract what reaches no zod, and the service's registry dynamically",
    why:
      'It is published for programs of others: a framework is a structural type, and the schema library and the ' +
      `service, except ${serviceRegistry} where it is installed, stay outside.`,
    appliesTo: (file) => file.startsWith('packages/middleware/src/'),
    forbids: [
      packagesBut(
        '@countersign/gate',
        '@countersign/signature',
        '@countersign/contract',
        '@countersign/server',
      ),
      values(
        (target) =>
          target.kind === 'package' &&
          target.name === '@countersign/contract' &&
          !zodFree.some((name) => target.specifier === `@countersign/contract/${name}`),
      ),
      (target, kind) =>
        target.kind === 'package' &&
        target.name === '@countersign/server' &&
        (target.specifier !== serviceRegistry || kind === 'static'),
    ],
  },
  {
    room: 'packages/server',
    clause: 'imports of our packages gate, explain, contract and signature',
    why: 'It is the only part that the others do not load; what two parts need is in one of these four.',
    forbids: [
      ownPackagesBut(
        '@countersign/gate',
        '@countersign/explain',
        '@countersign/contract',
        '@countersign/signature',
      ),
    ],
  },
  {
    room: 'packages/cli',
    clause:
      "imports of our packages client, explain, contract and signature, and dynamically the key stores and the server's local registry and routes",
    why:
      `An operator works on the registry and the routes of a bare machine, so the command line may load ${serverParts.join(' and ')}; ` +
      'the published command line must start without the server, and without any key store.',
    forbids: [
      (target, kind, file) =>
        ownPackagesBut(
          '@countersign/client',
          '@countersign/explain',
          '@countersign/contract',
          '@countersign/signature',
        )(target, kind, file) &&
        !(target.kind === 'package' && optionalForCli.includes(target.specifier) && kind !== 'static'),
    ],
  },
  {
    room: 'packages/portal',
    clause: 'imports of our packages explain, contract and signature',
    why: 'What a page can do, a signed request can do too: the portal knows the contract, not the service.',
    forbids: [ownPackagesBut('@countersign/explain', '@countersign/contract', '@countersign/signature')],
  },
  {
    room: 'packages/portal',
    clause: 'runs in browsers',
    why: 'What needs Node, or builds the portal, fails in a browser or makes the page heavy.',
    appliesTo: (file) => file.startsWith('packages/portal/src/'),
    forbids: [anyNode, packages(/^(vite|@countersign\/[a-z]+\/(node|shared-seconds))$/)],
  },
  {
    room: 'packages/testing',
    clause: 'imported by tests, benches and tools alone',
    why: 'It is never published and may reach into every package, so a product that imported it would not install.',
    appliesTo: codeOf('everywhere'),
    forbids: [packages(/^@countersign\/testing(\/|$)/)],
  },
  {
    room: 'everywhere',
    clause: 'a package enters another one by its name',
    why: 'What a package does not export may change any day; a path into its folder also breaks once it is published.',
    forbids: [
      (target, _kind, file) =>
        target.kind === 'file' &&
        target.path.startsWith('packages/') &&
        packageFolder(target.path) !== packageFolder(file),
    ],
  },
  {
    room: 'everywhere',
    clause: 'an import names its module as a literal',
    why: 'An import whose name is computed escapes every other rule; name the module, or a table of modules.',
    forbids: [(target) => target.kind === 'computed'],
  },
  {
    room: `${signature}/arguments`,
    clause: 'imports no other folder',
    why: 'Every other folder uses it.',
    forbids: [foldersBut(signature, 'arguments')],
  },
  {
    room: `${signature}/hashes`,
    clause: 'imports no other folder',
    why: 'A hash function knows nothing of what it hashes.',
    forbids: [foldersBut(signature, 'hashes')],
  },
  {
    room: `${signature}/rfc9421`,
    clause: 'knows no profile, no keys, no replay',
    why: 'It is the standard; other profiles can be built on it.',
    forbids: [files(`${signature}/profile/`, `${signature}/keys/`, `${signature}/replay/`)],
  },
  {
    room: `${signature}/profile`,
    clause: 'knows no keys, and of replay only types',
    why: 'It reads and checks what was sent; keys and guards are arguments.',
    forbids: [files(`${signature}/keys/`), values(files(`${signature}/replay/`))],
  },
  {
    room: `${signature}/keys`,
    clause: 'knows no profile, no replay',
    why: 'A key is read without knowing what it verifies.',
    forbids: [files(`${signature}/profile/`, `${signature}/replay/`)],
  },
  {
    room: `${gate}/http`,
    clause: 'imports no other folder',
    why: 'HTTP hands bytes to the checks and gets a decision back; who may do what is settled in one place.',
    forbids: [foldersBut(gate, 'http')],
  },
  {
    room: `${gate}/decision`,
    clause: 'knows no files, and of HTTP only types',
    why: 'Checks decide on values, with registry, guard and clock as arguments, so tests need no socket and no file.',
    forbids: [
      nodeModules('http', 'https', 'http2', 'net', 'tls', 'dgram', 'sqlite', 'fs', 'fs/promises'),
      values(files(`${gate}/http/`)),
    ],
    throughOthers: true,
  },
  {
    room: `${gate}/routes`,
    clause: 'imports no other folder',
    why: 'A table of routes is read and tested without a socket, a client or an upstream.',
    forbids: [foldersBut(gate, 'routes')],
  },
  {
    room: `${gate}/authorizers`,
    clause: 'reaches no upstream',
    why: "An authorizer decides; forwarding is its proxy's.",
    forbids: [values(files(`${gate}/proxy/upstream.ts`, `${gate}/proxy/upstream-connector.ts`))],
    throughOthers: true,
  },
  {
    room: `${gate}/envoy-grpc`,
    clause: 'reaches no upstream',
    why: "An authorizer decides; forwarding is its proxy's.",
    forbids: [values(files(`${gate}/proxy/upstream.ts`, `${gate}/proxy/upstream-connector.ts`))],
    throughOthers: true,
  },
  {
    room: `${gate}/limits`,
    clause: 'imports no other folder',
    why: 'Limits count the keys that they are given.',
    forbids: [foldersBut(gate, 'limits')],
  },
  {
    room: `${gate}/replay`,
    clause: 'imports no other folder',
    why: 'A guard decides about signatures, however they came.',
    forbids: [foldersBut(gate, 'replay')],
  },
  {
    room: `${server}/lifecycle`,
    clause: 'imports storage alone',
    why: 'It is the ground that every other folder stands on.',
    forbids: [foldersBut(server, 'lifecycle', 'storage')],
  },
  {
    room: people,
    clause: '`sessions/session-checks.ts` and `sessions/same-origin.ts` know no HTTP, no storage',
    why: 'The checks of a session decide on values too.',
    appliesTo: ['session-checks', 'same-origin'].map((name) => `${people}/sessions/${name}.ts`),
    forbids: [
      packagesBut('@countersign/contract', '@countersign/signature'),
      nodeModules('http', 'https', 'http2', 'net', 'tls', 'dgram', 'sqlite', 'fs', 'fs/promises'),
      foldersBut(server, 'people/sessions'),
    ],
    throughOthers: true,
  },
  {
    room: `${server}/registry`,
    clause: 'knows no HTTP',
    why: "The operator's commands change the registry without a service.",
    forbids: [nodeModules('http', 'https')],
  },
  {
    room: `${server}/request-log`,
    clause: 'knows no HTTP',
    why: 'Requests are rows here, which a thread without a server writes and reads.',
    forbids: [nodeModules('http', 'https')],
  },
  {
    room: people,
    clause: '`members/` knows no HTTP',
    why: 'Members and invitations are rows; how they are asked for is settled in the API.',
    appliesTo: (file) => file.startsWith(`${people}/members/`),
    forbids: [nodeModules('http', 'https')],
  },
  {
    room: people,
    clause: '`identity/` knows no signatures',
    why: 'People sign in with a session; what signs requests is the business of clients.',
    appliesTo: (file) => file.startsWith(`${identity}/`),
    forbids: [packages(/^@countersign\/(signature|explain)/)],
  },
  {
    room: people,
    clause: '`identity/` is entered through its interface alone',
    why: 'How people sign in can be replaced or corrected in one place only as long as nothing else reaches into it.',
    appliesTo: (file) => codeOf('everywhere')(file) && !file.startsWith(`${identity}/`),
    forbids: [
      identityLibraries,
      (target) =>
        target.kind === 'file' &&
        target.path.startsWith(`${identity}/`) &&
        !identityEntries.includes(target.path),
    ],
  },
  {
    room: `${server}/request-bodies`,
    clause: 'imports no other folder',
    why: 'Operations and the sign-in read bodies in the same way, and neither loads the other.',
    forbids: [foldersBut(server, 'request-bodies')],
  },
  {
    room: `${server}/directories`,
    clause: 'imports `request-bodies/` and no other folder',
    why: 'How keys are fetched and kept does not depend on who is registered with them.',
    forbids: [foldersBut(server, 'directories', 'request-bodies')],
  },
  {
    room: `${server}/replay`,
    clause: 'knows no HTTP',
    why: 'A guard decides about signatures, however they came.',
    forbids: [nodeModules('http', 'https')],
  },
  {
    room: `${server}/storage`,
    clause: 'imports no other folder',
    why: 'Connections, transactions and backups work for whatever is stored.',
    forbids: [foldersBut(server, 'storage')],
  },
  {
    room: `${server}/live`,
    clause: 'knows no HTTP',
    why: 'Events are values; how they are sent is settled where answers are written.',
    forbids: [nodeModules('http', 'https')],
  },
  {
    room: `${server}/notices`,
    clause: 'knows no HTTP',
    why: 'Notices are values made from what is recorded; how they are asked for is settled in the API.',
    forbids: [nodeModules('http', 'https')],
  },
  {
    room: `${server}/reference`,
    clause: 'imports no other folder',
    why: 'The reference is made of the contract, so it cannot say more than the contract promises.',
    forbids: [foldersBut(server, 'reference')],
  },
];

/** No file and no folder reaches itself through the imports that are loaded with it. */
export const circleRows: Readonly<Record<Circle['kind'], Row>> = {
  files: {
    room: 'everywhere',
    clause: 'no circle of files at run time',
    why: 'Which file of a circle runs first depends on who imports it; move what both need into a third.',
  },
  folders: {
    room: 'everywhere',
    clause: 'no circle of folders at run time',
    why: 'Folders of a circle are one folder in disguise; move what both need below both.',
  },
};

export const nameRow: Row = {
  room: 'everywhere',
  clause: 'names say what is inside',
  why: 'Name the file after the one idea that it holds.',
};

/** File and folder names that say nothing about their content. */
export const emptyNames: readonly string[] = [
  'util',
  'utils',
  'helper',
  'helpers',
  'common',
  'misc',
  'shared',
];

/** Everything that ARCHITECTURE.md states and this check proves. */
export const rows: readonly Row[] = [...rules, ...Object.values(circleRows), nameRow];
