import { type ReactElement, Suspense } from 'react';
import { Link, Route, Switch } from 'wouter';
import { LinkButton } from '../components/app-link.tsx';
import { LoadingLines } from '../components/query-state.tsx';
import { layout as t } from '#messages/layout.ts';
import { publicRoutes } from '../routes.tsx';
import { signInPath } from '../session/return-path.ts';
import { useSession } from '../session/session-context.ts';
import { LogoWithName } from '../theme/logo.tsx';
import { PageBoundary } from './failures.tsx';
import classes from './public-pages.module.css';

/** The pages that need no sign-in, as shown to people who are signed out. */
export function PublicPages({ path }: { readonly path: string }): ReactElement {
  const { features } = useSession();
  return (
    <>
      <header className={classes['header']}>
        <Link href="/docs" className={classes['brand'] ?? ''}>
          <LogoWithName name={features.serviceName} />
        </Link>
        <LinkButton to={signInPath(path)} size="compact-sm" variant="default">
          {t.signIn}
        </LinkButton>
      </header>
      <main id="content" tabIndex={-1}>
        <PageBoundary path={path}>
          <Suspense fallback={<LoadingLines count={4} />}>
            <Switch>
              {publicRoutes.map(({ path: pattern, page }) => (
                <Route key={pattern} path={pattern} component={page} />
              ))}
            </Switch>
          </Suspense>
        </PageBoundary>
      </main>
    </>
  );
}
