import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';

/** The cost of a task. */
export interface Effort {
  readonly clicks: number;
  readonly keystrokes: number;
  /** For a practised person, by the keystroke-level model of Card, Moran and Newell. */
  readonly humanSeconds: number;
  /** The time that the person waited for the portal. */
  readonly waitedMs: number;
}

/** Seconds of the keystroke-level model: pointing at something and clicking it, a key, and deciding what to do next. */
const pointSeconds = 1.1 + 0.2;
const keySeconds = 0.2;
const decideSeconds = 1.35;

/** A person who works with mouse and keyboard, and counts. */
export class Person {
  readonly page: Page;
  readonly #pictures: string | undefined;
  #clicks = 0;
  #keystrokes = 0;
  #waitedMs = 0;
  #steps = 0;

  /** @param pictures a folder for a picture of each step; none are taken without it */
  constructor(page: Page, pictures: string | undefined) {
    this.page = page;
    this.#pictures = pictures;
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
  }

  get effort(): Effort {
    const humanSeconds =
      this.#clicks * (pointSeconds + decideSeconds) + this.#keystrokes * keySeconds + this.#waitedMs / 1000;
    return { clicks: this.#clicks, keystrokes: this.#keystrokes, humanSeconds, waitedMs: this.#waitedMs };
  }

  async click(target: Locator): Promise<void> {
    await this.#act(() => target.first().click());
    this.#clicks += 1;
  }

  /** Types into the focused element. */
  async type(text: string): Promise<void> {
    await this.#act(() => this.page.keyboard.insertText(text));
    this.#keystrokes += text.length;
  }

  /** Pastes text that was copied elsewhere. */
  async paste(text: string): Promise<void> {
    await this.#act(() => this.page.keyboard.insertText(text));
    this.#keystrokes += 2;
  }

  async press(keys: string): Promise<void> {
    await this.#act(() => this.page.keyboard.press(keys));
    this.#keystrokes += keys.split('+').length;
  }

  /** Waits for the expected content, and takes a picture of the step. */
  async see(target: Locator): Promise<void> {
    await this.#act(() => target.first().waitFor());
    await this.look();
  }

  async look(): Promise<void> {
    if (this.#pictures === undefined) return;
    this.#steps += 1;
    await this.page.screenshot({ path: join(this.#pictures, `${String(this.#steps).padStart(2, '0')}.png`) });
  }

  async #act(work: () => Promise<unknown>): Promise<void> {
    const startedMs = performance.now();
    await work();
    this.#waitedMs += performance.now() - startedMs;
  }
}
