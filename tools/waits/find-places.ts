import type { Node, SourceFile } from 'typescript/unstable/ast';
import * as is from 'typescript/unstable/ast/is';
import { readSources } from '../boundaries/imports.ts';

/** A place where a test depends on how fast the machine is. */
export interface Place {
  readonly file: string;
  readonly line: number;
  /** `sleep`: a fixed sleep directly before an assertion. `clock`: an assertion about the machine's own clock. */
  readonly kind: 'sleep' | 'clock';
}

/** The places of tests and of what they share. Benchmarks and `test/timing` are excluded, because measuring time is their purpose. */
const tests = [
  'packages/*/test/**/*.ts',
  'packages/testing/src/**/*.ts',
  'test/**/*.ts',
  'tools/test/**/*.ts',
];
const measuring = /^test\/timing\//;

/** Finds these places in the tests of the repository at `root`. */
export function findPlaces(root: string): readonly Place[] {
  return [...readSources(root, tests, placesOf)]
    .filter(([file]) => !measuring.test(file))
    .flatMap(([file, places]) => places.map((place) => ({ file, ...place })));
}

type PlaceInFile = Omit<Place, 'file'>;

function placesOf(source: SourceFile): PlaceInFile[] {
  const sleeping = new Set<string>();
  const measured = new Set<string>();
  const places: PlaceInFile[] = [];
  const textOf = (node: Node): string => source.text.slice(node.getStart(source), node.end);
  const add = (node: Node, kind: Place['kind']): void => {
    places.push({ line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1, kind });
  };
  const visit = (node: Node): void => {
    if (is.isImportDeclaration(node) && /timers\/promises/.test(textOf(node.moduleSpecifier)))
      for (const [, alias] of textOf(node).matchAll(/\bsetTimeout(?: as (\w+))?/g))
        sleeping.add(alias ?? 'setTimeout');
    if (is.isVariableDeclaration(node) && node.initializer && measuresTime(textOf(node.initializer)))
      measured.add(textOf(node.name));
    if (is.isCallExpression(node) && /^assert\b/.test(textOf(node.expression))) {
      const asserted = node.arguments.map(textOf).join(', ');
      if (readsClock(asserted) || [...measured].some((name) => mentions(asserted, name))) add(node, 'clock');
    }
    if (is.isBlock(node)) {
      for (const [index, statement] of node.statements.entries()) {
        const next = node.statements[index + 1];
        if (next && isSleep(textOf(statement), sleeping) && /\bassert\b/.test(textOf(next)))
          add(statement, 'sleep');
      }
    }
    node.forEachChild(visit);
  };
  visit(source);
  return places;
}

const clock = /\b(?:performance|Date)\.now\(\)|\bprocess\.hrtime\b/;

function readsClock(text: string): boolean {
  return clock.test(text) || /\bawait waitUntil\(/.test(text);
}

/**
 * A difference between two readings, or the reported duration of a wait; not what an inner function measures
 * for itself.
 */
function measuresTime(text: string): boolean {
  if (text.startsWith('await waitUntil(')) return true;
  if (text.includes('=>') && !/^(?:async )?\(?[\w\s,:]*\)?(?:: \w+)? =>/.test(text)) return false;
  const reading = `(?:${clock.source})`;
  return new RegExp(`${reading}\\s*-|-\\s*${reading}`).test(text);
}

function mentions(text: string, name: string): boolean {
  return new RegExp(`\\b${RegExp.escape(name)}\\b`).test(text);
}

function isSleep(statement: string, sleeping: ReadonlySet<string>): boolean {
  const called = /^await (?:\w+\.)*(\w+)\(/.exec(statement)?.[1];
  if (called !== undefined && (sleeping.has(called) || called === 'waitForTimeout')) return true;
  return /^await new Promise\b[^;]*\bsetTimeout\(/.test(statement);
}
