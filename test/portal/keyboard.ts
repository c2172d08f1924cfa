import assert from 'node:assert/strict';
import { waitUntil } from '@countersign/testing/wait-until';
import type { Page } from 'playwright-core';

/** A person who uses a page by keyboard alone and must see the focus at each stop. */
export class KeyboardUser {
  readonly #page: Page;
  /** Stops so far without a visible focus. */
  readonly unseen: string[] = [];

  constructor(page: Page) {
    this.#page = page;
  }

  /** Presses Tab until an element has the focus. Fails with the list of stops if it never does. */
  async tabTo(what: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    const stops: string[] = [];
    for (let count = 0; count < stopsMax; count += 1) {
      const stop = await this.stop();
      stops.push(stop);
      if (what.test(stop)) return;
      await this.#page.keyboard.press(key);
    }
    assert.fail(`${key} never comes to ${what}:\n${stops.join('\n')}`);
  }

  /** Goes to an element and presses a key. */
  async press(what: RegExp, key = 'Enter'): Promise<void> {
    await this.tabTo(what);
    await this.#page.keyboard.press(key);
  }

  /** Goes to an element and types. */
  async type(what: RegExp, text: string): Promise<void> {
    await this.tabTo(what);
    await this.#page.keyboard.type(text);
  }

  /** Goes to an element and inserts a text at once, like pasting. */
  async paste(what: RegExp, text: string): Promise<void> {
    await this.tabTo(what);
    await this.#page.keyboard.insertText(text);
  }

  /** Waits until an element has the focus without a key press. */
  async comesTo(what: RegExp): Promise<void> {
    let stop = '';
    await waitUntil(
      async () => {
        stop = await this.stop();
        return what.test(stop);
      },
      () => `the focus on ${what}, and it is on ${stop}`,
    );
  }

  /** Returns role and name of the focused element, such as `button: Add`, and records it if the focus is not visible. */
  async stop(): Promise<string> {
    let stop = await this.#page.evaluate(focusedElement);
    const isSeen = async (): Promise<boolean> => {
      stop = await this.#page.evaluate(focusedElement);
      return stop.isVisible;
    };
    // Animations of opening or scrolling may still be running.
    if (!stop.isVisible)
      await waitUntil(isSeen, 'the focus in sight').catch(() => this.unseen.push(stop.name));
    return stop.name;
  }
}

const stopsMax = 80;

async function focusedElement(): Promise<{ name: string; isVisible: boolean }> {
  // A change of focus is drawn within two frames.
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || focused === document.body)
    return { name: 'nothing', isVisible: true };
  const label = (focused as HTMLInputElement).labels?.[0];
  const text = focused.getAttribute('aria-label') ?? (label ?? focused).textContent;
  const kind = focused instanceof HTMLInputElement ? focused.type : focused.tagName.toLowerCase();
  const name = `${focused.getAttribute('role') ?? kind}: ${text.trim().slice(0, 60)}`;
  // An element focused by script, to be read out, is not a control and needs no ring.
  if (focused.tabIndex < 0) return { name, isVisible: true };
  // If a field is drawn by its parent or sibling, that one has the ring; the link of a row, by its row.
  const around = [
    focused.parentElement,
    focused.parentElement?.parentElement,
    focused.nextElementSibling,
    focused.closest('tr'),
  ];
  const hasRing = [focused, ...around].some(
    (element) => element && getComputedStyle(element).outlineStyle !== 'none',
  );
  const drawn = focused.offsetHeight > 1 ? focused : (label ?? focused);
  const { left, top, width, height } = drawn.getBoundingClientRect();
  const isInSight = [0.1, 0.5, 0.9].some((part) => {
    const shown = document.elementFromPoint(left + width / 2, top + height * part);
    return shown !== null && (drawn.contains(shown) || shown.contains(drawn));
  });
  return { name, isVisible: hasRing && isInSight };
}
