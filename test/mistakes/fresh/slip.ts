import type { Program, Wish } from './program.ts';
import type { Random } from './wishes.ts';

/** One mistake of a program. */
export interface FreshSlip {
  readonly name: string;
  /** The part of the program that it changes. Two slips of one stage are combined only if both leave a trace. */
  readonly stage: string;
  /** The findings, any of which names it. */
  readonly codes: readonly string[];
  readonly change: (program: Program, wish: Wish, random: Random) => void;
}

/** Several slips of one stage, from rows of a name and a change. Codes are separated by spaces. */
export function slips<Change>(
  stage: string,
  codes: string,
  apply: (program: Program, change: Change, wish: Wish, random: Random) => void,
  rows: readonly (readonly [name: string, change: Change, codes?: string])[],
): readonly FreshSlip[] {
  return rows.map(([name, change, own]) => ({
    name: `${stage}: ${name}`,
    stage,
    codes: (own ?? codes).split(' '),
    change: (program, wish, random) => apply(program, change, wish, random),
  }));
}

/** Runs `next` on the stage's original result. */
export function after<Name extends keyof Program>(
  program: Program,
  stage: Name,
  next: (result: ReturnType<Program[Name]>) => ReturnType<Program[Name]>,
): void {
  const before = program[stage] as (...given: unknown[]) => ReturnType<Program[Name]>;
  (program as unknown as Record<string, unknown>)[stage] = (...given: unknown[]) => next(before(...given));
}
