import type { MistakeCase } from '../corpus.ts';
import { javaSlips } from './java.ts';
import { nodeSlips } from './node.ts';
import { combinations } from './pairs.ts';
import { phpSlips } from './php.ts';
import { pythonSlips } from './python.ts';
import { wishes } from './requests.ts';
import { settingSlips, waySlips } from './settings-and-ways.ts';
import { shellSlips } from './shell.ts';
import type { Maker, Slip } from './slips.ts';

/** A case to make. */
export interface Planned {
  /** `alone`: half of a pair, only to check that it is a mistake on that request; not shipped. */
  readonly part: 'correct' | 'single' | 'pairs' | 'alone';
  readonly id: string;
  readonly slips: readonly Slip[];
  readonly on: string;
  readonly isClaimed: boolean;
  readonly expected: Pick<MistakeCase, 'id' | 'maker' | 'description' | 'mistakes' | 'sameAs' | 'alsoTrue'>;
}

/** Mistakes by the only maker that makes them. */
export const slipsOf: Readonly<Record<Maker, readonly Slip[]>> = {
  python: pythonSlips,
  java: javaSlips,
  php: phpSlips,
  node: nodeSlips,
  shell: shellSlips,
};

/** Everything that one maker has to make, in order. */
export function planned(maker: Maker): Planned[] {
  const anyMaker = [...settingSlips, ...waySlips];
  const known = new Map([...slipsOf[maker], ...anyMaker].map((slip) => [slip.name, slip]));
  const plans = Object.keys(wishes).map((on) => planOf('correct', maker, [], on));
  for (const slip of known.values()) {
    for (const place of slip.on) {
      const [first = '', second] = place.split(':');
      if (second === undefined || first === maker)
        plans.push(planOf(...single(maker, [slip], second ?? first)));
    }
  }
  const ids = new Set(plans.map(({ id }) => id));
  for (const combination of combinations.filter((one) => one.maker === maker)) {
    const slips = combination.slips.map((name) => {
      const slip = known.get(name);
      if (!slip) throw new Error(`${maker} has no mistake ${name}`);
      return slip;
    });
    plans.push(planOf('pairs', maker, slips, combination.on));
    for (const slip of slips) {
      const alone = planOf('alone', maker, [slip], combination.on);
      if (!ids.has(alone.id)) plans.push(alone);
      ids.add(alone.id);
    }
  }
  return plans.map(withClaim);
}

/** Every seventh client also declares what it built. Then it is true, and may be proven, that the base differs. */
function withClaim(plan: Planned, index: number): Planned {
  const isClaimed = plan.slips.some((slip) => slip.isClaimed) || (plan.slips.length > 0 && index % 7 === 0);
  if (!isClaimed || plan.expected.mistakes.includes('base_differs')) return { ...plan, isClaimed };
  const alsoTrue = [...(plan.expected.alsoTrue ?? []), 'base_differs'];
  return { ...plan, isClaimed, expected: { ...plan.expected, alsoTrue } };
}

/** A slip that is two mistakes in itself counts as a pair. */
function single(maker: Maker, slips: readonly Slip[], on: string): Parameters<typeof planOf> {
  return [slips[0]!.codes.length > 1 ? 'pairs' : 'single', maker, slips, on];
}

function planOf(part: Planned['part'], maker: Maker, slips: readonly Slip[], on: string): Planned {
  if (!wishes[on]) throw new Error(`there is no request ${on}`);
  const id = [maker, on, ...slips.map((slip) => slip.name)].join('/');
  const sameAs = Object.assign({}, ...slips.map((slip) => slip.or)) as Record<string, readonly string[]>;
  const alsoTrue = [...new Set(slips.flatMap((slip) => slip.also))];
  const expected = {
    id,
    maker,
    description: slips.length === 0 ? 'The client does everything right.' : `The client ${sentence(slips)}.`,
    mistakes: [...new Set(slips.flatMap((slip) => slip.codes))],
    ...(Object.keys(sameAs).length > 0 && { sameAs }),
    ...(alsoTrue.length > 0 && { alsoTrue }),
  };
  return { part, id, slips, on, isClaimed: false, expected };
}

function sentence(slips: readonly Slip[]): string {
  const parts = slips.map((slip) => slip.does);
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;
}
