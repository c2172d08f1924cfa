/** A Markdown file of the repository that the portal shows. */
export interface Guide {
  /** Its path in the portal, below `/docs/`. */
  readonly slug: string;
  /** Relative to the repository. */
  readonly file: string;
  readonly group: DocumentGroup;
  /** Replaces the file's own first heading where that only makes sense among files. */
  readonly title?: string;
  /** Set where the addresses in the code are the point, such as in a signature computed over them. */
  readonly keepsExamples?: boolean;
}

/** The groups of documents, in the order in which the portal lists them. */
export const documentGroups = [
  'Get started',
  'Sign requests',
  'Fix a rejected request',
  'Manage clients and keys',
  'API reference',
  'Packages',
] as const;
export type DocumentGroup = (typeof documentGroups)[number];

const start = 'Get started';
const refused = 'Fix a rejected request';
const manage = 'Manage clients and keys';
const depth = 'Sign requests';
const packages = 'Packages';

/** What callers of a protected API need. How to run the service is for its operator, and stays in the repository. */
export const guides: readonly Guide[] = [
  { slug: 'signing', file: 'docs/signing/README.md', group: start },
  { slug: 'signing/javascript', file: 'docs/signing/javascript.md', group: start },
  { slug: 'signing/python', file: 'docs/signing/python.md', group: start },
  { slug: 'signing/java', file: 'docs/signing/java.md', group: start },
  { slug: 'signing/go', file: 'docs/signing/go.md', group: start },
  { slug: 'signing/rust', file: 'docs/signing/rust.md', group: start },
  { slug: 'signing/csharp', file: 'docs/signing/csharp.md', group: start },
  { slug: 'signing/ruby', file: 'docs/signing/ruby.md', group: start },
  { slug: 'signing/php', file: 'docs/signing/php.md', group: start },
  { slug: 'signing/shell', file: 'docs/signing/shell.md', group: start },
  { slug: 'errors', file: 'docs/errors.md', group: refused, keepsExamples: true },
  { slug: 'troubleshooting', file: 'docs/troubleshooting.md', group: refused, keepsExamples: true },
  { slug: 'signing/urls', file: 'docs/signing/urls.md', group: refused, keepsExamples: true },
  { slug: 'portal', file: 'docs/portal.md', group: manage },
  { slug: 'management', file: 'docs/management.md', group: manage },
  { slug: 'management-requests', file: 'docs/management-requests.md', group: manage },
  { slug: 'signing/libraries', file: 'docs/signing/libraries.md', group: depth },
  { slug: 'signing/key-stores', file: 'docs/signing/key-stores.md', group: depth },
  { slug: 'signing-proxy', file: 'docs/signing-proxy.md', group: depth },
  { slug: 'other-profiles', file: 'docs/other-profiles.md', group: depth },
  { slug: 'profile', file: 'docs/profile.md', group: depth, keepsExamples: true },
  { slug: 'message-profiles', file: 'docs/message-profiles.md', group: depth },
  {
    slug: 'packages/command-line',
    file: 'packages/cli/README.md',
    group: packages,
    title: 'The command line',
  },
  { slug: 'packages/signers', file: 'signers/README.md', group: packages, title: 'What every signer does' },
  {
    slug: 'packages/javascript',
    file: 'packages/client/README.md',
    group: packages,
    title: 'The JavaScript client',
  },
  {
    slug: 'packages/signature',
    file: 'packages/signature/README.md',
    group: packages,
    title: 'The JavaScript library',
  },
  { slug: 'packages/python', file: 'signers/python/README.md', group: packages, title: 'The Python package' },
  { slug: 'packages/java', file: 'signers/java/README.md', group: packages, title: 'The Java package' },
  { slug: 'packages/go', file: 'signers/go/README.md', group: packages, title: 'The Go package' },
  { slug: 'packages/rust', file: 'signers/rust/README.md', group: packages, title: 'The Rust package' },
  { slug: 'packages/csharp', file: 'signers/csharp/README.md', group: packages, title: 'The C# package' },
  { slug: 'packages/ruby', file: 'signers/ruby/README.md', group: packages, title: 'The Ruby package' },
  { slug: 'packages/php', file: 'signers/php/README.md', group: packages, title: 'The PHP package' },
  { slug: 'packages/shell', file: 'signers/shell/README.md', group: packages, title: 'The shell script' },
];
