import type { ApiError } from '@countersign/contract';
import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import { AppLink } from '../../components/app-link.tsx';
import { Notice } from '../../components/notice.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { signIn as t } from '#messages/sign-in.ts';
import { chooseLanguage, type Language, languages, shownLanguage } from '../../session/languages.ts';
import { useSession } from '../../session/session-context.ts';
import { LogoWithName } from '../../theme/logo.tsx';
import classes from './sign-in.module.css';

interface SignInLayoutProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
  readonly after?: ReactNode;
}

/** The layout of pages outside the portal: one card. */
export function SignInLayout({ title, description, children, after }: SignInLayoutProps): ReactElement {
  const { serviceName } = useSession().features;
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef<string>(undefined);
  useEffect(() => {
    document.title = t.documentTitle(title, serviceName);
    if (document.activeElement === document.body) {
      // Browsers follow `autofocus` once in a document, and not before they draw the next frame.
      const field = heading.current?.parentElement?.querySelector<HTMLElement>('[autofocus]');
      const isNextStep = shown.current !== undefined && shown.current !== title;
      // Without such a field, the next step's title takes the focus so screen readers announce it.
      if (field) field.focus();
      else if (isNextStep) heading.current?.focus();
    }
    shown.current = title;
  }, [title, serviceName]);
  return (
    <div className={classes['page']}>
      <main className={classes['main']}>
        <div className={classes['brand']}>
          <LogoWithName name={serviceName} size={30} />
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
      <footer className={classes['footer']}>
        <div>{t.footer}</div>
        <OtherLanguages />
      </footer>
    </div>
  );
}

/** A button for each language that is not shown, in its own words. */
function OtherLanguages(): ReactElement {
  const others = Object.entries(languages).filter(([language]) => language !== shownLanguage());
  return (
    <div className={classes['languages']}>
      {others.map(([language, name]) => (
        <UnstyledButton key={language} lang={language} onClick={() => chooseLanguage(language as Language)}>
          {name}
        </UnstyledButton>
      ))}
    </div>
  );
}

interface LinkCheckProps<Facts> {
  readonly token: string | undefined;
  /** Part of the query key. */
  readonly kind: string;
  readonly check: (token: string) => Promise<Facts>;
  readonly children: (facts: Facts, token: string) => ReactNode;
}

/** Checks that an emailed link still works. */
export function LinkCheck<Facts>({ token, kind, check, children }: LinkCheckProps<Facts>): ReactElement {
  const query = useQuery<Facts, ApiError>({
    queryKey: ['link', kind, token],
    queryFn: () => check(token ?? ''),
    enabled: token !== undefined,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (token !== undefined && query.data !== undefined) return <>{children(query.data, token)}</>;
  return (
    <SignInLayout title={token === undefined ? t.linkMissingTitle : t.checkingLink}>
      {token === undefined ? (
        <Notice tone="warning">{t.linkMissingText}</Notice>
      ) : (
        <QueryState query={query}>{() => null}</QueryState>
      )}
      <div className={classes['links']}>
        <AppLink to="/sign-in">{t.toSignIn}</AppLink>
      </div>
    </SignInLayout>
  );
}
