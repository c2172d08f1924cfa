import { ChevronLeft } from 'lucide-react';
import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession } from '../session/session-context.ts';
import classes from './page.module.css';

interface PageProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** The link above the title, to the page above this one. */
  readonly back?: { readonly to: string; readonly label: string };
  /** Leaves more room to the content, such as a long list: the description is beside the title. */
  readonly isDense?: boolean;
  /** A field of the page takes the focus instead of the title. */
  readonly hasFirstField?: boolean;
  readonly children: ReactNode;
}

/** The last path that took the focus. The first page leaves the focus to the browser. */
let focusedPath = location.pathname.replace(/^\/portal(?=\/)/, '');

/** A page of the portal. After a navigation its `h1` takes the focus, so screen readers announce it. */
export function Page(props: PageProps): ReactElement {
  const { title, description, actions, back, isDense = false, hasFirstField = false, children } = props;
  const { features } = useSession();
  const [path] = useLocation();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${features.serviceName}`;
  }, [title, features.serviceName]);
  useEffect(() => {
    if (focusedPath === path) return;
    focusedPath = path;
    const focused = heading.current?.closest('main')?.querySelector(':focus');
    // A field of the page may have it already.
    if (!(hasFirstField && focused)) heading.current?.focus({ preventScroll: true });
    // A document scrolls to the heading that the address names.
    if (location.hash === '') window.scrollTo(0, 0);
  }, [path, hasFirstField]);
  return (
    <div className={classes['page']} data-dense={isDense || undefined}>
      {back && (
        <Link href={back.to} className={classes['back']}>
          <ChevronLeft size={16} aria-hidden />
          {back.label}
        </Link>
      )}
      <header className={classes['header']}>
        <div className={classes['words']}>
          <h1 ref={heading} tabIndex={-1} className={classes['title']}>
            {title}
          </h1>
          {description && <div className={classes['description']}>{description}</div>}
        </div>
        {actions && <div className={classes['actions']}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
