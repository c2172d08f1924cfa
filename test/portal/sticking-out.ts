import type { Page } from 'playwright-core';

/**
 * Lists what overflows a page sideways, or is cut off in it, one text each. Content that scrolls in its own
 * region, ends in an ellipsis or is hidden on purpose does not count.
 */
export function stickingOut(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const width = document.documentElement.clientWidth;
    const { scrollWidth } = document.documentElement;
    if (scrollWidth > width) found.push(`the page is ${scrollWidth} px wide`);
    const nameOf = (element: Element): string =>
      (element.cloneNode(false) as Element).outerHTML.slice(0, 120);
    const isShown = (element: Element): boolean =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      element.getBoundingClientRect().width > 1;
    /** Returns true if an ancestor scrolls, or hides it on purpose. */
    const isContained = (element: Element): boolean => {
      for (let around: Element | null = element; around !== null; around = around.parentElement) {
        const { overflowX, clipPath, position } = getComputedStyle(around);
        if (around !== element && (overflowX === 'auto' || overflowX === 'scroll')) return true;
        if (clipPath !== 'none' || around.getAttribute('aria-hidden') === 'true') return true;
        if (position === 'fixed') return false;
      }
      return false;
    };
    for (const element of document.body.querySelectorAll('*')) {
      if (element.parentElement?.closest('svg') || !isShown(element)) continue;
      const { left, right } = element.getBoundingClientRect();
      if ((right > width + 1 || left < -1) && !isContained(element))
        found.push(`beyond the edge: ${nameOf(element)}`);
      const { overflowX, textOverflow } = getComputedStyle(element);
      const isClipping = overflowX === 'hidden' || overflowX === 'clip';
      if (
        isClipping &&
        textOverflow !== 'ellipsis' &&
        // Typed text scrolls in its field.
        !element.matches('input, textarea') &&
        element.scrollWidth > element.clientWidth + 1 &&
        !isContained(element)
      )
        found.push(`cut off (${element.scrollWidth} in ${element.clientWidth} px): ${nameOf(element)}`);
    }
    return found.slice(0, 10);
  });
}
