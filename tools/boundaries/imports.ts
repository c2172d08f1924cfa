import { join, relative } from 'node:path';
import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast';
import * as is from 'typescript/unstable/ast/is';
import { API, type Project } from 'typescript/unstable/sync';

/** Loaded with the importing file, loaded on demand, or erased before it runs (`import type`). */
export type ImportKind = 'static' | 'dynamic' | 'type';

export interface Import {
  /** The text between the quotes; undefined when it is computed. */
  readonly specifier: string | undefined;
  readonly kind: ImportKind;
  readonly line: number;
}

/**
 * Reads the imports of every TypeScript and JavaScript file that matches `include`, by the file's path from `root`, with
 * `/`. `require` and `process.getBuiltinModule` count as imports too.
 *
 * @param others additional files to match: the compiler ignores `a.js` next to `a.d.ts` if it looks for both
 * at once
 */
export function readImports(
  root: string,
  include: readonly string[],
  ...others: readonly (readonly string[])[]
): ReadonlyMap<string, readonly Import[]> {
  return readEach(root, [include, ...others], importsOf);
}

/**
 * Parses every file that matches `include` with the compiler's own parser, so that a comment, a string or a
 * template cannot look like an import, and passes each to `read`.
 */
export function readSources<T>(
  root: string,
  include: readonly string[],
  read: (source: SourceFile) => T,
): ReadonlyMap<string, T> {
  return readEach(root, [include], read);
}

function readEach<T>(
  root: string,
  includes: readonly (readonly string[])[],
  read: (source: SourceFile) => T,
): ReadonlyMap<string, T> {
  // Only the syntax matters: without library and resolution the whole tree takes a tenth of a second.
  const compilerOptions = { noLib: true, noResolve: true, types: [], allowJs: true };
  const configFiles = new Map(
    includes.map((include, index) => [
      join(root, `tsconfig.boundaries-${index}.json`),
      JSON.stringify({ compilerOptions, include }),
    ]),
  );
  const compiler = new API({
    cwd: root,
    fs: {
      readFile: (file) => configFiles.get(file),
      fileExists: (file) => (configFiles.has(file) ? true : undefined),
    },
  });
  try {
    const projects = compiler.updateSnapshot({ openProjects: [...configFiles.keys()] }).getProjects();
    if (projects.length < includes.length) throw new Error(`The compiler could not open ${root}.`);
    return new Map(projects.flatMap((project) => readProject(project, root, read)));
  } finally {
    compiler.close();
  }
}

function readProject<T>(
  { rootFiles, program }: Project,
  root: string,
  read: (source: SourceFile) => T,
): [string, T][] {
  return rootFiles.map((file) => {
    const source = program.getSourceFile(file);
    if (source === undefined) throw new Error(`The compiler could not read ${file}.`);
    return [relative(root, file).replaceAll('\\', '/'), read(source)];
  });
}

export function importsOf(source: SourceFile): Import[] {
  const imports: Import[] = [];
  const visit = (node: Node): void => {
    const found = importAt(node);
    if (found) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      imports.push({ specifier: literalText(found.named), kind: found.kind, line });
    }
    node.forEachChild(visit);
  };
  visit(source);
  return imports;
}

/** Every string literal of a file, including the specifiers of its imports. */
export function textsOf(source: SourceFile): string[] {
  const texts: string[] = [];
  const visit = (node: Node): void => {
    const text = literalText(node);
    if (text !== undefined) texts.push(text);
    node.forEachChild(visit);
  };
  visit(source);
  return texts;
}

/** The names of all properties in a file's object literals and types. */
export function keysOf(source: SourceFile): ReadonlySet<string> {
  const keys = new Set<string>();
  const visit = (node: Node): void => {
    const isKey = is.isPropertyAssignment(node) || is.isShorthandPropertyAssignment(node);
    if (isKey || is.isMethodDeclaration(node) || is.isPropertySignatureDeclaration(node)) {
      const { name } = node;
      if (is.isIdentifier(name) || is.isStringLiteral(name)) keys.add(name.text);
    }
    node.forEachChild(visit);
  };
  visit(source);
  return keys;
}

function importAt(node: Node): { kind: ImportKind; named: Node | undefined } | undefined {
  if (is.isImportDeclaration(node)) {
    const erased = node.importClause?.phaseModifier === SyntaxKind.TypeKeyword;
    return { kind: erased ? 'type' : 'static', named: node.moduleSpecifier };
  }
  if (is.isExportDeclaration(node) && node.moduleSpecifier) {
    return { kind: node.isTypeOnly ? 'type' : 'static', named: node.moduleSpecifier };
  }
  if (is.isExternalModuleReference(node)) return { kind: 'static', named: node.expression };
  if (is.isImportTypeNode(node)) {
    return { kind: 'type', named: is.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined };
  }
  if (is.isCallExpression(node) && loads(node.expression))
    return { kind: 'dynamic', named: node.arguments[0] };
  return undefined;
}

function loads(callee: Node): boolean {
  if (is.isIdentifier(callee)) return callee.text === 'require';
  if (is.isPropertyAccessExpression(callee)) return callee.name.text === 'getBuiltinModule';
  return callee.kind === SyntaxKind.ImportKeyword;
}

function literalText(node: Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  return is.isStringLiteral(node) || is.isNoSubstitutionTemplateLiteral(node) ? node.text : undefined;
}
