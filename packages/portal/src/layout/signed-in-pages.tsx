import { type ReactElement, type ReactNode, Suspense } from 'react';
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter';
import { LiveEventsProvider } from '../api/live-events-provider.tsx';
import { LoadingLines } from '../components/query-state.tsx';
import { layout as t } from '../messages/en/layout.ts';
import { signedInRoutes, movedPaths } from '../routes.tsx';
import { signInPath } from '../session/return-path.ts';
import { usePermission, useSession } from '../session/session-context.ts';
import { Layout } from './layout.tsx';
import { NoAccountPage, NotFoundPage, SecondFactorGate } from './gates.tsx';
import { PageBoundary } from './page-boundary.tsx';
import pageClasses from '../components/page.module.css';

const profilePath = '/settings/profile';

/** The pages for people who are signed in. Others are led to the sign-in, and back afterwards. */
export function SignedInPages(): ReactElement {
  const [path] = useLocation();
  const search = useSearch();
  const { state, account } = useSession();
  const isLive = usePermission('requests:read');
  if (state.state !== 'signed-in') {
    const isSetUp = state.features.needsSetUp && state.state === 'signed-out';
    return <Redirect to={isSetUp ? '/set-up' : signInPath(`${path}${search && `?${search}`}`)} replace />;
  }
  // The key throws away what a page remembers of another account.
  return (
    <LiveEventsProvider key={account?.accountId ?? ''} accountId={isLive ? account?.accountId : undefined}>
      <Layout>
        <PageBoundary path={path}>
          <Suspense fallback={<PageSkeleton />}>
            <Gates path={path}>
              <Switch>
                {Object.entries(movedPaths).map(([from, to]) => (
                  <Route key={from} path={from}>
                    <Redirect to={to} replace />
                  </Route>
                ))}
                {signedInRoutes.map(({ path: pattern, page }) => (
                  <Route key={pattern} path={pattern} component={page} />
                ))}
                <Route component={NotFoundPage} />
              </Switch>
            </Gates>
          </Suspense>
        </PageBoundary>
      </Layout>
    </LiveEventsProvider>
  );
}

function Gates({ path, children }: { readonly path: string; readonly children: ReactNode }): ReactNode {
  const { account, person } = useSession();
  if (path === profilePath) return children;
  if (account === undefined) return <NoAccountPage />;
  const hasSecondFactor = person !== undefined && (person.hasTotp || person.passkeyCount > 0);
  return account.isSecondFactorRequired && !hasSecondFactor ? <SecondFactorGate /> : children;
}

function PageSkeleton(): ReactElement {
  return (
    <div className={pageClasses['page']}>
      <h1 className="portal-visually-hidden">{t.loading}</h1>
      <LoadingLines count={4} />
    </div>
  );
}
