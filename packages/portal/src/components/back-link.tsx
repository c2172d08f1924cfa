import { ChevronLeft } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import classes from './back-link.module.css';

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
