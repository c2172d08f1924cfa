import { MantineProvider } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactElement, Suspense } from 'react';
import { Route, Router, Switch } from 'wouter';
import { LeaveDialog } from './components/leave-dialog.tsx';
import { useGuardedLocation } from './components/unsaved-guard.ts';
import { LoadFailure } from './layout/failures.tsx';
import { SessionWarning } from './layout/session-warning.tsx';
import { SignedInPages } from './layout/signed-in-pages.tsx';
import { useLaterParts } from './layout/use-later-parts.ts';
import { signInRoutes } from './routes.tsx';
import { lazyPart } from './session/lazy-part.ts';
import { SessionProvider } from './session/session-provider.tsx';
import { StepUpDialog } from './layout/step-up-dialog.tsx';
import { colorSchemeManager, contrastVariables, theme } from './theme/theme.ts';

interface AppProps {
  readonly queryClient: QueryClient;
  /** For run-time styles. */
  readonly styleNonce: string;
}

const EndedSessionDialog = lazyPart(
  async () => (await import('./layout/ended-session-dialog.tsx')).EndedSessionDialog,
);

export function App({ queryClient, styleNonce }: AppProps): ReactElement {
  const later = useLaterParts();
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={contrastVariables}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <Router base="/portal" hook={useGuardedLocation}>
          <SessionProvider
            renderFailure={(error, onRetry) => <LoadFailure error={error} onRetry={onRetry} />}
            renderEnded={(person) => (
              <Suspense fallback={null}>
                <EndedSessionDialog person={person} />
              </Suspense>
            )}
          >
            <StepUpDialog />
            <Switch>
              {signInRoutes.map(({ path, page: SignInPage }) => (
                <Route key={path} path={path}>
                  <Suspense fallback={null}>
                    <SignInPage />
                  </Suspense>
                </Route>
              ))}
              <Route>
                <SignedInPages />
              </Route>
            </Switch>
            <LeaveDialog />
            <SessionWarning />
          </SessionProvider>
        </Router>
      </QueryClientProvider>
      {later && <later.Notifications position="bottom-right" />}
    </MantineProvider>
  );
}
