import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLanguage, type Language } from '../src/code/tokens.ts';
import type { Snippet, SnippetLanguage } from '../src/snippets/snippet.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** The portal's tabs: a page of `docs/signing`, and the program in `examples/signing` for those who install nothing. */
const tabs: readonly {
  readonly page: string;
  readonly title: string;
  /** True if the package signs with RSA keys only, as all programs without one do. */
  readonly isRsaOnly?: boolean;
  readonly withoutPackage?: { readonly file: string; readonly saveAs?: string; readonly run: string };
}[] = [
  {
    page: 'shell',
    title: 'curl',
    withoutPackage: { file: 'signed-request.sh', run: 'sh signed-request.sh' },
  },
  {
    page: 'javascript',
    title: 'JavaScript',
    withoutPackage: { file: 'signed-request.mjs', run: 'node signed-request.mjs' },
  },
  {
    page: 'python',
    title: 'Python',
    withoutPackage: { file: 'signed_request.py', run: 'python3 signed_request.py' },
  },
  {
    page: 'java',
    title: 'Java',
    withoutPackage: { file: 'SignedRequest.java', run: 'java SignedRequest.java' },
  },
  {
    page: 'go',
    title: 'Go',
    withoutPackage: { file: 'signed_request.go', run: 'go run signed_request.go' },
  },
  {
    page: 'php',
    title: 'PHP',
    isRsaOnly: true,
    withoutPackage: { file: 'signed-request.php', run: 'php signed-request.php' },
  },
  {
    page: 'csharp',
    title: 'C#',
    isRsaOnly: true,
    withoutPackage: { file: 'SignedRequest.cs', saveAs: 'Program.cs', run: 'dotnet run' },
  },
  { page: 'ruby', title: 'Ruby', isRsaOnly: true },
  { page: 'rust', title: 'Rust', isRsaOnly: true },
];

/** Reads the programs of all tabs. */
export function readSnippets(): readonly SnippetLanguage[] {
  return tabs.map(({ page, title, isRsaOnly = false, withoutPackage: bare }) => {
    const withPackage = { ...firstRequest(page), isRsaOnly };
    return {
      id: page,
      title,
      guide: `signing/${page}`,
      withPackage,
      withoutPackage: bare && {
        fileName: bare.saveAs ?? bare.file,
        language: withPackage.language,
        program: read(`examples/signing/${bare.file}`),
        install: undefined,
        run: bare.run,
        isRsaOnly: true,
      },
    };
  });
}

/** Returns the files that the programs come from. */
export function snippetFiles(): readonly string[] {
  return tabs.flatMap(({ page, withoutPackage }) => [
    join(repository, pageOf(page)),
    join(repository, readPage(page).file),
    ...(withoutPackage ? [join(repository, 'examples/signing', withoutPackage.file)] : []),
  ]);
}

/** Reads the instructions on a page of `docs/signing`: what to install, to save and to run. */
function firstRequest(page: string): Omit<Snippet, 'isRsaOnly'> {
  const { commands, fileName, file, language } = readPage(page);
  const [install, run] = [commands[0], commands.at(-1)];
  if (install === undefined || run === undefined || install === run)
    throw new Error(`${pageOf(page)} does not say how to install the package and run the program.`);
  return { fileName, language, program: read(file), install, run };
}

function readPage(page: string): {
  readonly commands: readonly string[];
  readonly fileName: string;
  readonly file: string;
  readonly language: Language;
} {
  const [steps = ''] = read(pageOf(page)).split('\n## Next\n');
  const saved = /Save this as `([^`]+)`[^]*?\]\(([^)]+)\):\n\n```(\w+)\n[^]*?\n```\n/.exec(steps);
  const [block = '', fileName = '', target = '', language = ''] = saved ?? [];
  if (!isLanguage(language)) throw new Error(`${pageOf(page)} has no program to save.`);
  const commands = [...steps.replace(block, '').matchAll(/```sh\n([^]*?)\n```\n/g)].map(
    ([, text = '']) => text,
  );
  return { commands, fileName, file: posix.join('docs/signing', target), language };
}

const pageOf = (page: string): string => `docs/signing/${page}.md`;
const read = (file: string): string => readFileSync(join(repository, file), 'utf8');
