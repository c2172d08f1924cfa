import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** Somebody who uses a page with the keyboard alone, and who has to see at each stop where they are. */
export class KeyboardUser {
  readonly #page: Page;
  /** Every stop so far whose focus could not be seen. */
  readonly unseen: string[] = [];

  constructor(page: Page) {
    this.#page = page;
  }

  /** Goes on with Tab until something has the focus. Fails, with the stops, when it never comes to it. */
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

  /** Goes there, and presses a key. */
  async press(what: RegExp, key = 'Enter'): Promise<void> {
    await this.tabTo(what);
    await this.#page.keyboard.press(key);
  }

  /** Goes there, and types. */
  async type(what: RegExp, text: string): Promise<void> {
    await this.tabTo(what);
    await this.#page.keyboard.type(text);
  }

  /** Goes there, and puts a text in at once, as pasting does. */
  async paste(what: RegExp, text: string): Promise<void> {
    await this.tabTo(what);
    await this.#page.keyboard.insertText(text);
  }

  /** Waits until something has the focus without a key. */
  async comesTo(what: RegExp): Promise<void> {
    const deadline = Date.now() + 5_000;
    let stop = await this.stop();
    while (!what.test(stop) && Date.now() < deadline) {
      await this.#page.waitForTimeout(50);
      stop = await this.stop();
    }
    assert.match(stop, what);
  }

  /** What has the focus: its role and its name, such as `button: Add`; notes it when that cannot be seen. */
  async stop(): Promise<string> {
    const { name, isVisible } = await this.#page.evaluate(focusedElement);
    if (!isVisible) this.unseen.push(name);
    return name;
  }
}

const stopsMax = 80;

/** Runs in the page. */
async function focusedElement(): Promise<{ name: string; isVisible: boolean }> {
  // What the focus changes is drawn with the next two pictures.
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || focused === document.body)
    return { name: 'nothing', isVisible: true };
  const label = (focused as HTMLInputElement).labels?.[0];
  const text = focused.getAttribute('aria-label') ?? (label ?? focused).textContent;
  const kind = focused instanceof HTMLInputElement ? focused.type : focused.tagName.toLowerCase();
  const name = `${focused.getAttribute('role') ?? kind}: ${text.trim().slice(0, 60)}`;
  // What only a program gives the focus to, so that it is read out, goes without a ring: it is no control.
  if (focused.tabIndex < 0) return { name, isVisible: true };
  // Where a field is drawn by what is around it or beside it, that has the ring.
  const around = [focused.parentElement, focused.parentElement?.parentElement, focused.nextElementSibling];
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
