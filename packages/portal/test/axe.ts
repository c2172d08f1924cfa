import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** What WCAG 2.2 AA asks for, as far as a program can tell, and what axe holds to be good practice. */
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Those among them whose answer another colour scheme can change. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/**
 * Everything that axe finds wrong with what a page shows now, a text each; empty when all is well. Animations are ended
 * first, because text that is just fading in has too little contrast.
 */
export async function accessibilityFaults(
  page: Page,
  { isColoursOnly = false }: { readonly isColoursOnly?: boolean } = {},
): Promise<readonly string[]> {
  const axe = await axeFor(page);
  const chosen = isColoursOnly ? axe.withRules(colourRules) : axe.withTags(rules);
  const { violations } = await bounded(page, 'Running axe', chosen.analyze());
  return violations.flatMap(({ id, help, nodes }) =>
    nodes
      .filter(({ target }) => !(id === 'region' && isLayer(target.join(' '))))
      .map(
        ({ target, failureSummary }) => `${id}: ${help}\n  ${target.join(' ')}\n  ${failureSummary ?? ''}`,
      ),
  );
}

/** The rules that a page breaks, of those that axe tries unless told otherwise, wherever that is in the page. */
export async function brokenRules(page: Page): Promise<readonly string[]> {
  const axe = await axeFor(page);
  const { violations } = await bounded(page, 'Running axe', axe.analyze());
  return violations.map(({ id }) => id);
}

async function axeFor(page: Page): Promise<AxeBuilder> {
  await bounded(page, 'Ending the animations', page.evaluate(endAnimations));
  // To load axe takes as long as to run it, and AxeBuilder loads it twice each time: once for each document is enough.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axeSource);
  // The portal has no frames: axe needs no second page to gather what they found. To describe what is well takes half its time.
  return new AxeBuilder({ page, axeSource: ';' }).setLegacyMode().options({ resultTypes: ['violations'] });
}

const axeSource = readFileSync(
  createRequire(import.meta.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** Menus, tips and messages that lie over the page are in layers of their own, outside of every landmark. */
function isLayer(target: string): boolean {
  return ['data-portal', 'mantine-Menu-', 'mantine-Notifications'].some((part) => target.includes(part));
}

/**
 * Ends what is being animated, instead of waiting for it: an animation that never gets a frame never finishes. Runs in the
 * page. A colour that is inherited begins to change in an element when it has changed in the one around it, hence the rounds.
 */
async function endAnimations(): Promise<void> {
  const frame = (): Promise<void> =>
    new Promise((resolve) => {
      requestAnimationFrame(() => resolve());
      // A page that is not drawn gets no frames.
      setTimeout(resolve, 500);
    });
  const isEnding = ({ playState, effect }: Animation): boolean =>
    playState === 'running' && effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY;
  for (let round = 0; round < 50; round += 1) {
    const running = document.getAnimations().filter(isEnding);
    if (running.length === 0) return;
    for (const animation of running) animation.finish();
    await frame();
  }
  throw new Error('The page starts animations without end.');
}

const callSecondsMax = 120;

/** Calls into a page have no time limit of their own: one that never returns would end with the whole test run, and no reason. */
async function bounded<Result>(page: Page, what: string, call: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    const message = `${what} has not returned for ${callSecondsMax} s at ${page.url()}: the page or this process is blocked.`;
    timer = setTimeout(() => reject(new Error(message)), callSecondsMax * 1000);
  });
  try {
    return await Promise.race([call, limit]);
  } finally {
    clearTimeout(timer);
  }
}
