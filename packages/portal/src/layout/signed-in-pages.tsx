import { type ReactElement, type ReactNode, Suspense } from 'react';
import { matchRoute, Redirect, Route, Switch, useLocation, useRouter } from 'wouter';
import { LiveEventsProvider } from '../api/live-events-provider.tsx';
import { LinkButton } from '../components/app-link.tsx';
import { Page } from '../components/page.tsx';
import { LoadingLines } from '../components/query-state.tsx';
import { useRawSearch } from '../components/use-raw-search.ts';
import { layout as t } from '#messages/layout.ts';
import { PaletteProvider } from '../palette/palette-provider.tsx';
import { movedPaths, publicRoutes, signedInRoutes } from '../routes.tsx';
import { signInPath } from '../session/return-path.ts';
import { usePermission, useSession } from '../session/session-context.ts';
import { Layout } from './layout.tsx';
import { PageBoundary } from './failures.tsx';
import { PublicPages } from './public-pages.tsx';
import pageClasses from '../components/page.module.css';

const profilePath = '/settings/profile';

/** Shows the page of the current path. Without a session, redirects to the sign-in and back. */
export function SignedInPages(): ReactElement {
  const [path] = useLocation();
  const search = useRawSearch();
  const { state, account } = useSession();
  const isLive = usePermission('requests:read');
  const { parser } = useRouter();
  if (state.state !== 'signed-in') {
    if (publicRoutes.some((route) => matchRoute(parser, route.path, path)[0]))
      return <PublicPages path={path} />;
    const isSetUp = state.features.needsSetUp && state.state === 'signed-out';
    return <Redirect to={isSetUp ? '/set-up' : signInPath(`${path}${search && `?${search}`}`)} replace />;
  }
  // The key resets all page state when the account changes.
  return (
    <LiveEventsProvider key={account?.accountId ?? ''} accountId={isLive ? account?.accountId : undefined}>
      <PaletteProvider>
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
                  <Route>
                    <DeadEnd title={t.notFoundTitle} text={t.notFoundText} to="/" action={t.toOverview} />
                  </Route>
                </Switch>
              </Gates>
            </Suspense>
          </PageBoundary>
        </Layout>
      </PaletteProvider>
    </LiveEventsProvider>
  );
}

function Gates({ path, children }: { readonly path: string; readonly children: ReactNode }): ReactNode {
  const { account, person } = useSession();
  if (path === profilePath) return children;
  if (account === undefined)
    return <DeadEnd title={t.noAccountTitle} text={t.noAccountText} to={profilePath} action={t.profile} />;
  if (account.blockedAddress !== undefined)
    return (
      <DeadEnd
        title={t.blockedTitle(account.name)}
        text={
          account.acting ? t.blockedActing(account.blockedAddress) : t.blockedText(account.blockedAddress)
        }
        to={profilePath}
        action={t.profile}
      />
    );
  const hasSecondFactor = person !== undefined && (person.hasTotp || person.passkeyCount > 0);
  if (!account.isSecondFactorRequired || hasSecondFactor) return children;
  return (
    <DeadEnd
      title={t.secondFactorTitle}
      text={t.secondFactorText(account.name)}
      to={profilePath}
      action={t.secondFactorAction}
    />
  );
}

interface DeadEndProps {
  readonly title: string;
  readonly text: string;
  readonly to: string;
  readonly action: string;
}

/** A page that only redirects. */
function DeadEnd({ title, text, to, action }: DeadEndProps): ReactElement {
  return (
    <Page title={title} description={text}>
      <div>
        <LinkButton to={to}>{action}</LinkButton>
      </div>
    </Page>
  );
}

function PageSkeleton(): ReactElement {
  return (
    <div className={pageClasses['page']}>
      <h1 className="portal-visually-hidden">{t.loading}</h1>
      <LoadingLines count={4} />
    </div>
  );
}
