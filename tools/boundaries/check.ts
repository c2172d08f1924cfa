import { existsSync, globSync, readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { type Circle, findCircles } from './circles.ts';
import { graphOf, type ImportGraph } from './graph.ts';
import { type Import, readImports } from './imports.ts';
import { circleRows, codeOf, emptyNames, nameRow, type Row, type Rule, rules, type Target } from './rules.ts';

const sources = ['packages/*/src/**/*', 'packages/*/bin/**/*'];
const named = ['packages/*/{src,bin,test}/**', '{bench,examples,test,tools}/**'];

export interface BoundaryReport {
  readonly fileCount: number;
  /** One readable text for each violation. */
  readonly violations: readonly string[];
  /** The imports that were checked. */
  readonly graph: ImportGraph;
}

/**
 * Checks the imports and the file names of the repository at `root` against the rules. Anything that would
 * leave the check with nothing to examine, such as a renamed folder, is a violation too.
 */
export function checkBoundaries(root: string): BoundaryReport {
  const imports = readImports(root, sources);
  const graph = graphOf(root, imports);
  return {
    graph,
    fileCount: imports.size,
    violations: [
      ...unseenPackages(root, imports),
      ...rules.flatMap((rule) => checkRule(rule, imports)),
      ...findCircles(graph).map(circleText),
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
  /** The path to the file, from the file that the rule is about. */
  readonly via: readonly string[];
}

function checkRule(rule: Rule, imports: ReadonlyMap<string, readonly Import[]>): string[] {
  const { appliesTo = codeOf(rule.room) } = rule;
  const applicable = typeof appliesTo === 'function' ? [...imports.keys()].filter(appliesTo) : appliesTo;
  const missing = applicable.find((file) => !imports.has(file));
  if (applicable.length === 0 || missing !== undefined)
    return [`No file ${missing ?? 'is left'} for the rule "${nameOf(rule)}": was it renamed?`];
  const steps: Step[] = applicable.map((file) => ({ file, via: [] }));
  const violations: string[] = [];
  const seen = new Set(steps.map((step) => step.file));
  // The list grows during iteration: files that are reached through others are appended.
  for (const { file, via } of steps) {
    for (const each of imports.get(file) ?? []) {
      const target = targetOf(each, file);
      if (rule.forbids.some((forbids) => forbids(target, each.kind, file))) {
        const way = via.length === 0 ? '' : `, and is used by ${via.join(', used by ')}`;
        violations.push(`${file}:${each.line} ${describe(target)}${way}.${reason(rule)}`);
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

function circleText({ kind, members, lines }: Circle): string {
  const steps = lines.map((line) => `\n  ${line}`).join('');
  return `Circle of ${kind}: ${[...members, members[0]].join(' → ')}${steps}${reason(circleRows[kind])}`;
}

function nameOf({ room, clause }: Row): string {
  return `${room}: ${clause}`;
}

function reason(row: Row): string {
  return `\n  ${nameOf(row)}. ${row.why}`;
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
    .map((path) => `${path} has a name that says nothing.${reason(nameRow)}`);
}
