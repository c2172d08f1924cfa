import { type MouseEvent, type ReactElement, useEffect, useLayoutEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import '../code/code.css';
import { isLanguage } from '../code/tokens.ts';
import { announce } from '../components/announce.ts';
import { notify } from '../components/notify.ts';
import { documentation as t } from '#messages/documentation.ts';
import classes from './document-body.module.css';
import { hitsIn } from './document-search.ts';
import { type DocumentValues, valueFor } from './document-values.ts';

interface DocumentBodyProps {
  /** From the build: everything in it is escaped. */
  readonly html: string;
  readonly values: DocumentValues;
  /** Words to highlight. */
  readonly words: readonly string[];
  /** Receives the number of hits. */
  readonly onHits: (count: number) => void;
}

/** A document's text, with the account's values instead of examples. */
export function DocumentBody({ html, values, words, onHits }: DocumentBodyProps): ReactElement {
  const body = useRef<HTMLDivElement>(null);
  const [, navigate] = useLocation();
  const { baseUrl, clientId } = values;
  useLayoutEffect(() => {
    if (body.current) fillIn(body.current, { baseUrl, clientId });
  }, [html, baseUrl, clientId]);
  useLayoutEffect(() => {
    reach();
    addEventListener('hashchange', reach);
    return () => removeEventListener('hashchange', reach);
  }, [html]);
  const search = words.join(' ');
  useEffect(() => {
    if (!body.current) return undefined;
    const ranges = rangesIn(body.current, search === '' ? [] : search.split(' '));
    onHits(ranges.length);
    return showHits(ranges);
  }, [html, baseUrl, clientId, search, onHits]);
  const onClick = (event: MouseEvent<HTMLDivElement>): void => {
    const target = event.target as Element;
    const button = target.closest<HTMLButtonElement>('button[data-copy]');
    if (button) void copyCode(button);
    const link = target.closest('a');
    const path = link?.getAttribute('href') ?? '';
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (!isPlain || !path.startsWith('/portal/')) return;
    event.preventDefault();
    navigate(path.slice('/portal'.length));
  };
  return (
    // The links and buttons inside are the interactive elements; this only listens. //
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
    <div
      ref={body}
      lang="en"
      className={classes['body']}
      onClick={onClick}
      // oxlint-disable-next-line react/no-danger
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}

/**
 * Scrolls to the heading that the address names. The browser itself looks for it only before the document is
 * loaded.
 */
function reach(): void {
  document.querySelector('[data-reached]')?.removeAttribute('data-reached');
  const heading = document.getElementById(anchorOf(location.hash));
  heading?.setAttribute('data-reached', '');
  heading?.scrollIntoView();
}

function anchorOf(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return '';
  }
}

function fillIn(body: HTMLElement, values: DocumentValues): void {
  for (const place of body.querySelectorAll<HTMLElement>('[data-fill]')) {
    const example = (place.dataset['example'] ??= place.textContent);
    const language = place.closest<HTMLElement>('code')?.dataset['language'] ?? '';
    const value = valueFor(place.dataset['fill'] ?? '', isLanguage(language) ? language : 'text', values);
    place.textContent = value ?? example;
    place.toggleAttribute('data-filled', value !== undefined);
  }
}

async function copyCode(button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(button.parentElement?.querySelector('code')?.textContent ?? '');
  } catch {
    notify.error(t.copyFailed);
    return;
  }
  announce(t.copied);
  button.textContent = t.copied;
  setTimeout(() => {
    button.textContent = t.copy;
  }, 2000);
}

function rangesIn(body: HTMLElement, words: readonly string[]): readonly Range[] {
  if (words.length === 0) return [];
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    if (node.parentElement?.closest('button')) continue;
    for (const [from, to] of hitsIn(node.nodeValue ?? '', words)) {
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, to);
      ranges.push(range);
    }
  }
  return ranges;
}

/** Highlights without touching the document. Browsers that cannot do this show it without highlights. */
function showHits(ranges: readonly Range[]): (() => void) | undefined {
  if (ranges.length === 0 || !('highlights' in CSS)) return undefined;
  CSS.highlights.set('document-search', new Highlight(...ranges));
  return () => CSS.highlights.delete('document-search');
}
