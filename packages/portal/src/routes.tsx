import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

/** A page of the portal. */
export interface PortalRoute {
  /** Below `/portal`; `:name` is a parameter, which the page reads with `useParams` of wouter. */
  readonly path: string;
  readonly page: LazyExoticComponent<ComponentType>;
}

/** The pages for people who are signed in. The first that fits counts. */
export const signedInRoutes: readonly PortalRoute[] = [
  { path: '/', page: lazy(() => import('./pages/overview/overview-page.tsx')) },
  { path: '/integrations/api-keys', page: lazy(() => import('./pages/api-keys/api-keys-page.tsx')) },
  { path: '/integrations/api-keys/new', page: lazy(() => import('./pages/api-keys/add-client-page.tsx')) },
  {
    path: '/integrations/api-keys/:clientId/edit',
    page: lazy(() => import('./pages/api-keys/update-client-page.tsx')),
  },
  {
    path: '/integrations/api-keys/:clientId/rotate',
    page: lazy(() => import('./pages/rotate/rotate-page.tsx')),
  },
  { path: '/integrations/api-keys/:clientId', page: lazy(() => import('./pages/client/client-page.tsx')) },
  { path: '/logs/requests', page: lazy(() => import('./pages/requests/requests-page.tsx')) },
  { path: '/logs/debugger', page: lazy(() => import('./pages/debugger/debugger-page.tsx')) },
  { path: '/settings/team', page: lazy(() => import('./pages/team/team-page.tsx')) },
  { path: '/settings/roles', page: lazy(() => import('./pages/roles/roles-page.tsx')) },
  {
    path: '/settings/security',
    page: lazy(() => import('./pages/security-policy/security-policy-page.tsx')),
  },
  { path: '/settings/audit-log', page: lazy(() => import('./pages/audit-log/audit-log-page.tsx')) },
  { path: '/settings/profile', page: lazy(() => import('./pages/profile/profile-page.tsx')) },
  { path: '/operator/accounts', page: lazy(() => import('./pages/operator/accounts-page.tsx')) },
  { path: '/operator/health', page: lazy(() => import('./pages/operator/health-page.tsx')) },
];

/** The pages for everybody, without the layout. */
export const signInRoutes: readonly PortalRoute[] = [
  { path: '/sign-in', page: lazy(() => import('./pages/sign-in/sign-in-page.tsx')) },
  { path: '/set-up', page: lazy(() => import('./pages/sign-in/set-up-page.tsx')) },
  { path: '/invitation', page: lazy(() => import('./pages/sign-in/invitation-page.tsx')) },
  { path: '/forgot-password', page: lazy(() => import('./pages/sign-in/forgot-password-page.tsx')) },
  { path: '/step-up', page: lazy(() => import('./pages/sign-in/step-up-page.tsx')) },
  { path: '/reset-password', page: lazy(() => import('./pages/sign-in/reset-password-page.tsx')) },
];

/** Paths of before, and where their pages are now. */
export const movedPaths: Readonly<Record<string, string>> = {
  '/settings/clients': '/integrations/api-keys',
  '/settings': '/settings/profile',
};
