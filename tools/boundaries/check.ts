import { globSync, readdirSync, existsSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { type Import, readImports } from './imports.ts';
import { type Rule, type Target, emptyNames, rules } from './rules.ts';

const sources = ['packages/*/src/**/*', 'packages/*/bin/**/*'];
const named = ['packages/*/{src,bin,test}/**', '{bench,examples,test,tools}/**'];

/** What the check found. */
export interface BoundaryReport {
  readonly fileCount: number;
  /** One readable text for each violation; empty when all is well. */
  readonly violations: readonly string[];
}

/**
 * Checks the import boundaries of the repository at `root` and the names of its files. Whatever would make the check
 * look at nothing, such as a folder that was renamed, is a violation too.
 */
export function checkBoundaries(root: string): BoundaryReport {
  const imports = readImports(root, sources);
  return {
    fileCount: imports.size,
    violations: [
      ...unseenPackages(root, imports),
      ...rules.flatMap((rule) => checkRule(rule, imports)),
      ...checkNames(root),
    ],
  };
}

function unseenPackages(root: string, imports: ReadonlyMap<string, unknown>): string[] {
  const folder = join(root, 'packages');
  const packages = existsSync(folder) ? readdirSync(folder) : [];
  if (packages.length === 0) return [`There are no packages in ${folder}: the check looked at nothing.`];
  return packages
    .filter((name) => !imports.keys().some((file) => file.startsWith(`packages/${name}/src/`)))
    .map((name) => `packages/${name}/src has no source files: the check saw nothing of this package.`);
}

interface Step {
  readonly file: string;
  /** How the file was reached, from the file that the rule is about. */
  readonly via: readonly string[];
}

function checkRule(rule: Rule, imports: ReadonlyMap<string, readonly Import[]>): string[] {
  const steps: Step[] = [...imports.keys()].filter(rule.appliesTo).map((file) => ({ file, via: [] }));
  if (steps.length === 0) return [`No file is left for the rule "${rule.name}": was its folder renamed?`];
  const violations: string[] = [];
  const seen = new Set(steps.map((step) => step.file));
  // The list grows while it is walked: files that are reached through others are appended.
  for (const { file, via } of steps) {
    for (const each of imports.get(file) ?? []) {
      const target = targetOf(each, file);
      if (rule.forbids(target, each.kind, file)) {
        const way = via.length === 0 ? '' : `, and is used by ${via.join(', used by ')}`;
        violations.push(`${file}:${each.line} ${describe(target)}${way}.\n  ${rule.name}: ${rule.why}`);
      } else if (
        rule.throughOthers &&
        each.kind !== 'type' &&
        target.kind === 'file' &&
        !seen.has(target.path)
      ) {
        seen.add(target.path);
        steps.push({ file: target.path, via: [file, ...via] });
      }
    }
  }
  return violations;
}

function targetOf({ specifier }: Import, file: string): Target {
  if (specifier === undefined) return { kind: 'computed' };
  if (/^\.{0,2}\//.test(specifier)) return { kind: 'file', path: posix.join(posix.dirname(file), specifier) };
  if (isBuiltin(specifier)) return { kind: 'node', name: specifier.replace(/^node:/, '') };
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  return { kind: 'package', name, specifier };
}

function describe(target: Target): string {
  switch (target.kind) {
    case 'file':
      return `imports ${target.path}`;
    case 'package':
      return `imports ${target.specifier}`;
    case 'node':
      return `imports node:${target.name}`;
    case 'computed':
      return 'imports a module whose name is computed';
  }
}

function checkNames(root: string): string[] {
  return globSync(named, { cwd: root, exclude: (path) => path.includes('node_modules') })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => emptyNames.includes(posix.basename(path).replace(/\..*$/, '').toLowerCase()))
    .map(
      (path) => `${path} has a name that says nothing.\n  Name the file after the one idea that it holds.`,
    );
}
