import type { ImportKind } from './imports.ts';

/** What an import points to. */
export type Target =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'package'; readonly name: string; readonly specifier: string }
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'computed' };

/** One boundary. The table below is all that is forbidden; everything else is allowed. */
export interface Rule {
  readonly name: string;
  /** Why the boundary exists; it is told to whoever meets it. */
  readonly why: string;
  /** The files that it is about. Paths are relative to the repository, with `/`. */
  readonly appliesTo: (file: string) => boolean;
  readonly forbids: (target: Target, kind: ImportKind, file: string) => boolean;
  /** Whether it is also forbidden to get there through other files of the same package, at run time. */
  readonly throughOthers: boolean;
}

const within = (...folders: readonly string[]): ((file: string) => boolean) => {
  return (file) => folders.some((folder) => file.startsWith(folder));
};
const isFileIn = (target: Target, ...folders: readonly string[]): boolean =>
  target.kind === 'file' && within(...folders)(target.path);

const isProduct = (file: string): boolean => /^packages\/[^/]+\/(src|bin)\//.test(file);

const sharedPackages = [
  '@countersign/contract',
  '@countersign/explain',
  '@countersign/gate',
  '@countersign/signature',
];
const localRegistry = '@countersign/server/local-registry';
const nodeOfAccess = ['http', 'https', 'http2', 'net', 'tls', 'dgram', 'sqlite', 'fs', 'fs/promises'];

const identity = 'packages/server/src/identity/';
/** The libraries that sign people in. */
const identityPackages: ReadonlySet<string> = new Set([
  '@noble/ciphers',
  '@simplewebauthn/server',
  'nodemailer',
  'openid-client',
  'otpauth',
]);

/** The import boundaries, in the order of the architecture. */
export const rules: readonly Rule[] = [
  {
    name: 'signature imports nothing',
    why: 'The library is published for every runtime; whoever installs it gets it and nothing else.',
    appliesTo: within('packages/signature/src/'),
    forbids: (target) => target.kind === 'package',
    throughOthers: false,
  },
  {
    name: 'only node.ts of signature knows Node',
    why: 'The library also runs in browsers, workers, Deno and Bun; the entry point for Node is src/node.ts alone.',
    appliesTo: (file) =>
      file.startsWith('packages/signature/src/') && file !== 'packages/signature/src/node.ts',
    forbids: (target) => target.kind === 'node' || isFileIn(target, 'packages/signature/src/node.ts'),
    throughOthers: false,
  },
  {
    name: 'contract imports only zod',
    why: 'Server, portal and command line all load the contract, the portal in a browser; its schema library is all it needs.',
    appliesTo: within('packages/contract/src/'),
    forbids: (target) => target.kind === 'node' || (target.kind === 'package' && target.name !== 'zod'),
    throughOthers: false,
  },
  {
    name: 'problems, network and permissions need no schema library',
    why: 'What decides about each request imports these three, and must not load the schemas of a management API for it.',
    appliesTo: (file) => /^packages\/contract\/src\/(problems|network|permissions)\.ts$/.test(file),
    forbids: (target) => target.kind === 'package',
    throughOthers: true,
  },
  {
    name: 'server, cli and portal share contract and signature only',
    why:
      'The parts meet at the contract, so that each can change alone. One exception: the command line may import ' +
      `'${localRegistry}' dynamically (or as a type), because the operator works on the registry of a bare machine, ` +
      'and the published command line must start without the server.',
    appliesTo: within(
      'packages/server/src/',
      'packages/cli/src/',
      'packages/cli/bin/',
      'packages/portal/src/',
    ),
    forbids: (target, kind, file) => {
      if (target.kind !== 'package' || !/^(@countersign\/|countersign$)/.test(target.name)) return false;
      if (sharedPackages.includes(target.name)) return false;
      const mayUseRegistry = file.startsWith('packages/cli/') && kind !== 'static';
      return !(mayUseRegistry && target.specifier === localRegistry);
    },
    throughOthers: false,
  },
  {
    name: 'the portal runs in browsers',
    why: 'It is built for browsers alone: what needs Node, or builds the portal, fails there or makes the page heavy.',
    appliesTo: within('packages/portal/src/'),
    forbids: (target) =>
      target.kind === 'node' ||
      (target.kind === 'package' &&
        (target.name === 'vite' || target.specifier === '@countersign/signature/node')),
    throughOthers: false,
  },
  {
    name: 'access knows no HTTP and no storage',
    why: 'The checks are decided on values, with registry, guard and clock as arguments, and tested without a socket or a file.',
    appliesTo: within('packages/server/src/access/'),
    forbids: (target) =>
      (target.kind === 'package' && !sharedPackages.includes(target.name)) ||
      (target.kind === 'node' && nodeOfAccess.includes(target.name)) ||
      isFileIn(target, 'packages/server/src/storage/', 'packages/gate/src/http/'),
    throughOthers: true,
  },
  {
    name: 'http knows no keys',
    why: 'HTTP hands bytes to access and gets a decision back; who may do what is settled in one place.',
    appliesTo: within('packages/gate/src/http/'),
    forbids: (target) => isFileIn(target, 'packages/gate/src/registry.ts', 'packages/gate/src/replay/'),
    throughOthers: false,
  },
  {
    name: 'people stand behind one interface',
    why:
      'How people sign in can be replaced or corrected in one place only as long as nothing else reaches into it; ' +
      'identity.ts is all that the rest may use, and the libraries that sign people in are used in its folder alone.',
    appliesTo: (file) => isProduct(file) && !file.startsWith(identity),
    forbids: (target) =>
      (target.kind === 'package' && identityPackages.has(target.name)) ||
      (isFileIn(target, identity) && !isFileIn(target, `${identity}identity.ts`)),
    throughOthers: false,
  },
  {
    name: 'a package enters another one by its name',
    why: 'What a package does not export may change any day; a path into its folder also breaks once it is published.',
    appliesTo: isProduct,
    forbids: (target, _kind, file) => {
      const ownFolder = file.split('/').slice(0, 2).join('/');
      return isFileIn(target, 'packages/') && !isFileIn(target, `${ownFolder}/`);
    },
    throughOthers: false,
  },
  {
    name: 'imports are literal',
    why: 'An import whose name is computed escapes every other rule here; name the module, or a table of modules.',
    appliesTo: isProduct,
    forbids: (target) => target.kind === 'computed',
    throughOthers: false,
  },
];

/** File and folder names that say nothing about what is inside. */
export const emptyNames: readonly string[] = [
  'util',
  'utils',
  'helper',
  'helpers',
  'common',
  'misc',
  'shared',
];
