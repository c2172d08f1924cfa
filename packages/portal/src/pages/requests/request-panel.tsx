import { ActionIcon, Kbd } from '@mantine/core';
import { ChevronDown, ChevronUp, type LucideIcon, Maximize2, X } from 'lucide-react';
import {
  type ReactElement,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { Link } from 'wouter';
import { announce } from '../../components/announce.ts';
import { outcomeTitle } from '../../explanation/outcome-badge.tsx';
import { requestPanel as t } from '#messages/request-panel.ts';
import { requests } from '#messages/requests.ts';
import type { OpenRequest } from './open-request.ts';
import { RequestDetail } from './request-detail.tsx';
import { useRequestKeys } from './request-keys.ts';
import classes from './request-panel.module.css';

interface RequestPanelProps {
  /** The element with the list and this panel: keys work there. */
  readonly region: RefObject<HTMLElement | null>;
  readonly open: OpenRequest;
  /** The path of the request's own page. */
  readonly pageHref: string;
}

/** A request beside the list. It takes the focus when it appears. */
export function RequestPanel({ region, open, pageHref }: RequestPanelProps): ReactElement {
  const { previous, next, close } = open;
  const panel = useRef<HTMLElement>(null);
  const titleId = useId();
  const shown = useCalmed(open);
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  useRequestKeys(region, open);
  useRestOfScreen(panel);
  useSpoken(open);
  return (
    <section ref={panel} className={classes['panel']} tabIndex={-1} aria-labelledby={titleId}>
      <header className={classes['bar']}>
        <h2 id={titleId}>{requests.detail}</h2>
        <PanelButton icon={ChevronUp} label={t.previous} shortcut="K" onPress={previous} />
        <PanelButton icon={ChevronDown} label={t.next} shortcut="J" onPress={next} />
        <ActionIcon
          component={Link}
          href={pageHref}
          variant="subtle"
          color="gray"
          aria-label={t.openPage}
          title={t.openPage}
        >
          <Maximize2 size={15} aria-hidden />
        </ActionIcon>
        <PanelButton icon={X} label={t.close} shortcut="Escape" onPress={close} />
      </header>
      <div key={shown.requestId} className={classes['content']}>
        <RequestDetail requestId={shown.requestId} known={shown.entry} />
      </div>
      <p className={classes['keys']}>
        <Kbd size="xs">J</Kbd> {t.next} <Kbd size="xs">K</Kbd> {t.previous} <Kbd size="xs">Esc</Kbd> {t.close}
      </p>
    </section>
  );
}

interface PanelButtonProps {
  readonly icon: LucideIcon;
  readonly label: string;
  /** As `aria-keyshortcuts` names it. */
  readonly shortcut: string;
  /** Undefined if there is nothing to do. The button keeps the focus. */
  readonly onPress: (() => void) | undefined;
}

function PanelButton({ icon: Icon, label, shortcut, onPress }: PanelButtonProps): ReactElement {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      title={label}
      aria-keyshortcuts={shortcut}
      aria-disabled={onPress === undefined || undefined}
      onClick={() => onPress?.()}
    >
      <Icon size={16} aria-hidden />
    </ActionIcon>
  );
}

const calmMs = 120;

/** Returns the open request, but not each of those that pass while a key is held: each would load its explanation. */
function useCalmed(open: OpenRequest): OpenRequest {
  const [shown, setShown] = useState(open);
  const changedAtMs = useRef(0);
  const { requestId } = open;
  useEffect(() => {
    if (shown.requestId === requestId) return undefined;
    const show = (): void => setShown(open);
    const sinceMs = performance.now() - changedAtMs.current;
    changedAtMs.current = performance.now();
    const timer = setTimeout(show, sinceMs < calmMs ? calmMs : 0);
    return () => clearTimeout(timer);
  }, [shown, open, requestId]);
  return shown.requestId === requestId ? open : shown;
}

/** Lets an element end where the screen ends, wherever the page is scrolled to. */
function useRestOfScreen(element: { readonly current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const fit = (): void => {
      const { current } = element;
      const top = Math.max(0, current?.getBoundingClientRect().top ?? 0);
      current?.style.setProperty('--panel-top', `${top}px`);
    };
    fit();
    const watched = new ResizeObserver(fit);
    // What is above the panel can grow.
    watched.observe(document.body);
    window.addEventListener('scroll', fit, { passive: true });
    window.addEventListener('resize', fit);
    return () => {
      watched.disconnect();
      window.removeEventListener('scroll', fit);
      window.removeEventListener('resize', fit);
    };
  }, [element]);
}

/** Tells screen readers which request is shown next: the focus does not move. */
function useSpoken({ requestId, entry }: OpenRequest): void {
  const spokenId = useRef(requestId);
  useEffect(() => {
    if (spokenId.current === requestId || entry === undefined) return;
    spokenId.current = requestId;
    announce(`${entry.method} ${entry.url}, ${outcomeTitle(entry.outcome)}`);
  }, [requestId, entry]);
}
