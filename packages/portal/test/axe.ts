import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** What WCAG 2.2 AA asks for, as far as a program can tell, and what axe holds to be good practice. */
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Those among them whose answer another colour scheme can change. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/**
 * Everything that axe finds wrong with what a page shows now, a text each; empty when all is well. Animations are waited
 * for, because text that is just fading in has too little contrast.
 */
export async function accessibilityFaults(
  page: Page,
  { isColoursOnly = false }: { readonly isColoursOnly?: boolean } = {},
): Promise<readonly string[]> {
  await page.evaluate(async () => {
    const running = (): readonly Animation[] =>
      document
        .getAnimations()
        .filter(
          ({ playState, effect }) =>
            playState === 'running' && effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY,
        );
    // A colour that is inherited begins to change in an element when it has changed in the one around it.
    for (let all = running(); all.length > 0; all = running()) {
      await Promise.allSettled(all.map((animation) => animation.finished));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
  // The portal has no frames: axe needs no second page to gather what they found. To describe what is well takes half its time.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await (isColoursOnly ? axe.withRules(colourRules) : axe.withTags(rules)).analyze();
  return violations.flatMap(({ id, help, nodes }) =>
    nodes
      .filter(({ target }) => !(id === 'region' && isLayer(target.join(' '))))
      .map(
        ({ target, failureSummary }) => `${id}: ${help}\n  ${target.join(' ')}\n  ${failureSummary ?? ''}`,
      ),
  );
}

/** Menus, tips and messages that lie over the page are in layers of their own, outside of every landmark. */
function isLayer(target: string): boolean {
  return ['data-portal', 'mantine-Menu-', 'mantine-Notifications'].some((part) => target.includes(part));
}
