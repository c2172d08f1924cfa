import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession } from '../session/session-context.ts';
import classes from './page.module.css';
import { ChevronLeft } from 'lucide-react';

interface PageProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  /** What is above the title, such as a link back. */
  readonly before?: ReactNode;
  readonly children: ReactNode;
}

/** The path that had the focus last: the page that the browser loads first must not take it from the browser. */
let focusedPath = location.pathname.replace(/^\/portal(?=\/)/, '');

/**
 * A page within the layout: its title in the document and as the only `h1`, which has the focus after a navigation, so that
 * screen readers say where one is.
 */
export function Page({ title, description, actions, before, children }: PageProps): ReactElement {
  const { features } = useSession();
  const [path] = useLocation();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${features.serviceName}`;
  }, [title, features.serviceName]);
  useEffect(() => {
    if (focusedPath === path) return;
    focusedPath = path;
    heading.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [path]);
  return (
    <div className={classes['page']}>
      {before}
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

/** The way up, above the title of a page. */
export function BackLink({
  to,
  children,
}: {
  readonly to: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <Link href={to} className={classes['back']}>
      <ChevronLeft size={16} aria-hidden />
      {children}
    </Link>
  );
}
