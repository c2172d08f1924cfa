import { type ComponentType, lazy, type LazyExoticComponent } from 'react';
import { onDraft } from './drafts.ts';

/**
 * A part of a page that loads when it is first shown, or as soon as the person types into the page: if the
 * service is updated meanwhile, it no longer has the file, and a page that fails to load a part loses the
 * input.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  onDraft(() => void load().catch(() => undefined));
  return lazy(async () => ({ default: await load() }));
}
