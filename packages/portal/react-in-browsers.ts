/**
 * React's names, as Preact has them: what `react` and `react-dom` mean in the build. It is a seventh of their size.
 * See docs/decisions/2026-11-29-preact-in-the-portal.md.
 */
import { options } from 'preact';
import type { ReactNode } from 'react';

// @ts-expect-error Its types are declared by `export =`, and it is a module nevertheless.
export * from 'preact/compat';
export { default } from 'preact/compat';

// React runs the effects of an action before the next one. Preact waits for the next frame, and a key that is held outruns it.
options.requestAnimationFrame = (run) => queueMicrotask(run);

/** Preact has none. Mantine uses it for hidden content that stays mounted, which the portal has nowhere. */
export function Activity(props: {
  readonly mode?: 'visible' | 'hidden';
  readonly children?: ReactNode;
}): ReactNode {
  return props.mode === 'hidden' ? null : props.children;
}

/** What text fields held when they were last rendered or changed. */
const values = new WeakMap<EventTarget, string>();

const diffedBefore = options.diffed?.bind(options);
options.diffed = (vnode) => {
  const { __e: element } = vnode as { readonly __e?: unknown };
  if (isTextField(element)) values.set(element, element.value);
  diffedBefore?.(vnode);
};

// A script may have emptied it meanwhile.
addEventListener(
  'beforeinput',
  ({ target }) => {
    if (isTextField(target)) values.set(target, target.value);
  },
  { capture: true },
);

// React tells of no change that is none. Browsers do: for each line of a pasted text, although the page has emptied the field after the
// first, as it does with a private key. The second would take the explanation away.
addEventListener(
  'input',
  (event) => {
    const { target } = event;
    if (!isTextField(target)) return;
    if (values.get(target) === target.value) event.stopImmediatePropagation();
    else values.set(target, target.value);
  },
  { capture: true },
);

function isTextField(element: unknown): element is HTMLInputElement | HTMLTextAreaElement {
  if (element instanceof HTMLTextAreaElement) return true;
  return element instanceof HTMLInputElement && !['checkbox', 'radio', 'file'].includes(element.type);
}
