import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ComponentType, lazy, type ReactElement, Suspense, useEffect } from 'react';
import { Route, Router, Switch } from 'wouter';
import { LeaveDialog } from './components/leave-dialog.tsx';
import { useGuardedLocation } from './components/unsaved-guard.ts';
import type { EndedSessionDialogProps } from './layout/ended-session-dialog.tsx';
import { LoadFailure } from './layout/failures.tsx';
import { SignedInPages } from './layout/signed-in-pages.tsx';
import { signInRoutes } from './routes.tsx';
import { onDraft } from './session/drafts.ts';
import { SessionProvider } from './session/session-provider.tsx';
import { StepUpDialog } from './layout/step-up-dialog.tsx';
import { colorSchemeManager, contrastVariables, theme } from './theme/theme.ts';

interface AppProps {
  readonly queryClient: QueryClient;
  /** For run-time styles. */
  readonly styleNonce: string;
}

async function loadEndedSession(): Promise<{ readonly default: ComponentType<EndedSessionDialogProps> }> {
  const { EndedSessionDialog: dialog } = await import('./layout/ended-session-dialog.tsx');
  return { default: dialog };
}
const EndedSessionDialog = lazy(loadEndedSession);

export function App({ queryClient, styleNonce }: AppProps): ReactElement {
  // Loaded before it is needed: a new version of the service no longer has this one's files.
  useEffect(() => onDraft(() => void loadEndedSession().catch(() => undefined)), []);
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
          </SessionProvider>
        </Router>
      </QueryClientProvider>
      <Notifications position="bottom-right" />
    </MantineProvider>
  );
}
