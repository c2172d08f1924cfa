import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import { Logo } from '../../theme/logo.tsx';
import { useMessages } from '../../messages/messages.ts';
import { useSession } from '../../session/session-context.ts';
import classes from './sign-in-layout.module.css';

interface SignInLayoutProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
  /** Below the card. */
  readonly after?: ReactNode;
}

/** A page in front of the portal: one calm card. */
export function SignInLayout({ title, description, children, after }: SignInLayoutProps): ReactElement {
  const t = useMessages('signIn');
  const { serviceName } = useSession().features;
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef<string>(undefined);
  useEffect(() => {
    document.title = t.documentTitle(title, serviceName);
    // The next step of the same way says its name to screen readers; fields take the focus themselves.
    if (shown.current !== undefined && shown.current !== title && document.activeElement === document.body)
      heading.current?.focus();
    shown.current = title;
  }, [t, title, serviceName]);
  return (
    <div className={classes['page']}>
      <main className={classes['main']}>
        <div className={classes['brand']}>
          <Logo size={30} />
          <span>{serviceName}</span>
        </div>
        <div className={classes['card']}>
          <h1 ref={heading} tabIndex={-1} className={classes['title']}>
            {title}
          </h1>
          {description && <div className={classes['description']}>{description}</div>}
          <div className={classes['content']}>{children}</div>
        </div>
        {after && <div className={classes['after']}>{after}</div>}
      </main>
      <footer className={classes['footer']}>{t.footer}</footer>
    </div>
  );
}
