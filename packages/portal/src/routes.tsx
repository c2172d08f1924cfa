import type { Permission, SignedInAccount } from '@countersign/contract';
import {
  Activity,
  Bell,
  BookOpen,
  Building2,
  ChartLine,
  ChartNoAxesColumn,
  FileClock,
  HeartPulse,
  KeyRound,
  ListChecks,
  type LucideIcon,
  ScanSearch,
  Send,
  Settings,
  ShieldCheck,
  Tags,
  Users,
  Webhook,
} from 'lucide-react';
import { type ComponentType, lazy, type LazyExoticComponent } from 'react';
import { pageTitles } from '#messages/page-titles.ts';

interface PortalRoute {
  /** Below `/portal`. Pages read `:name` with wouter's `useParams`. */
  readonly path: string;
  readonly page: LazyExoticComponent<ComponentType>;
  /** The page's link in the navigation. Links appear in the order of the table. */
  readonly link?: NavigationLink;
  /** Shows the page to people who are signed out, too. */
  readonly isPublic?: true;
}

/** A link in the navigation. */
export interface NavigationLink {
  readonly title: string;
  readonly icon: LucideIcon;
  readonly group?: 'integrations' | 'logs' | 'settings' | 'operator';
  /** Shows the link only to people with this permission. */
  readonly permission?: Permission;
  /** Shows the link only in accounts whose risky changes wait for a second person, with their number. */
  readonly isForPendingChanges?: true;
}

const webhookView = (name: 'WebhooksPage' | 'WebhookPage'): PortalRoute['page'] =>
  lazy(async () => ({ default: (await import('./pages/webhooks/webhook-views.ts')).webhookViews[name] }));
const webhookForm = (name: 'AddWebhookPage' | 'UpdateWebhookPage'): PortalRoute['page'] =>
  lazy(async () => ({ default: (await import('./pages/webhooks/webhook-forms.ts')).webhookForms[name] }));
const alertRulePage = (
  name: 'AlertRulesPage' | 'AddAlertRulePage' | 'UpdateAlertRulePage',
): PortalRoute['page'] =>
  lazy(async () => ({ default: (await import('./pages/alerts/alert-rule-views.ts')).alertRuleViews[name] }));

/** The pages inside the layout, for people who are signed in. The first match wins. */
export const signedInRoutes: readonly PortalRoute[] = [
  {
    path: '/',
    page: lazy(() => import('./pages/overview/overview-page.tsx')),
    link: { title: pageTitles.overview, icon: ChartNoAxesColumn },
  },
  {
    path: '/integrations/api-keys',
    page: lazy(() => import('./pages/api-keys/api-keys-page.tsx')),
    link: { title: pageTitles.apiKeys, icon: KeyRound, group: 'integrations', permission: 'clients:read' },
  },
  { path: '/integrations/api-keys/new', page: lazy(() => import('./pages/api-keys/add-client-page.tsx')) },
  {
    path: '/integrations/api-keys/import',
    page: lazy(() => import('./pages/api-keys/import/import-page.tsx')),
  },
  {
    path: '/integrations/api-keys/:clientId/edit',
    page: lazy(() => import('./pages/api-keys/update-client-page.tsx')),
  },
  {
    path: '/integrations/api-keys/:clientId/rotate',
    page: lazy(() => import('./pages/rotate/rotate-page.tsx')),
  },
  { path: '/integrations/api-keys/:clientId', page: lazy(() => import('./pages/client/client-page.tsx')) },
  {
    path: '/integrations/webhooks',
    page: webhookView('WebhooksPage'),
    link: { title: pageTitles.webhooks, icon: Webhook, group: 'integrations', permission: 'webhooks:read' },
  },
  {
    path: '/integrations/webhooks/new',
    page: webhookForm('AddWebhookPage'),
  },
  {
    path: '/integrations/webhooks/:webhookId/edit',
    page: webhookForm('UpdateWebhookPage'),
  },
  {
    path: '/integrations/webhooks/:webhookId',
    page: webhookView('WebhookPage'),
  },
  {
    path: '/docs',
    page: lazy(() => import('./pages/documents/documents-page.tsx')),
    link: { title: pageTitles.documentation, icon: BookOpen, group: 'integrations' },
    isPublic: true,
  },
  {
    path: '/try-it',
    page: lazy(() => import('./pages/try-it/try-it-page.tsx')),
    link: { title: pageTitles.tryIt, icon: Send, group: 'integrations', permission: 'clients:read' },
  },
  { path: '/docs/*', page: lazy(() => import('./pages/documents/document-page.tsx')), isPublic: true },
  {
    path: '/logs/requests',
    page: lazy(() => import('./pages/requests/requests-page.tsx')),
    link: { title: pageTitles.requests, icon: Activity, group: 'logs', permission: 'requests:read' },
  },
  { path: '/logs/requests/:requestId', page: lazy(() => import('./pages/requests/request-page.tsx')) },
  {
    path: '/logs/analytics',
    page: lazy(() => import('./pages/analytics/analytics-page.tsx')),
    link: { title: pageTitles.analytics, icon: ChartLine, group: 'logs', permission: 'requests:read' },
  },
  {
    path: '/logs/debugger',
    page: lazy(() => import('./pages/debugger/debugger-page.tsx')),
    link: { title: pageTitles.signatureDebugger, icon: ScanSearch, group: 'logs', permission: 'keys:read' },
  },
  {
    path: '/notices/rules',
    page: alertRulePage('AlertRulesPage'),
    link: { title: pageTitles.alertRules, icon: Bell, group: 'logs', permission: 'alerts:read' },
  },
  {
    path: '/notices/rules/new',
    page: alertRulePage('AddAlertRulePage'),
  },
  {
    path: '/notices/rules/:alertRuleId/edit',
    page: alertRulePage('UpdateAlertRulePage'),
  },
  { path: '/notices', page: lazy(() => import('./pages/notices/inbox-page.tsx')) },
  {
    path: '/settings/team',
    page: lazy(() => import('./pages/team/team-page.tsx')),
    link: { title: pageTitles.team, icon: Users, group: 'settings', permission: 'members:read' },
  },
  {
    path: '/settings/roles',
    page: lazy(() => import('./pages/roles/roles-page.tsx')),
    link: { title: pageTitles.roles, icon: Tags, group: 'settings', permission: 'roles:read' },
  },
  {
    path: '/settings/security',
    page: lazy(() => import('./pages/security-policy/security-policy-page.tsx')),
    link: {
      title: pageTitles.securityPolicy,
      icon: ShieldCheck,
      group: 'settings',
      permission: 'members:read',
    },
  },
  {
    path: '/settings/pending-changes',
    page: lazy(() => import('./pages/pending-changes/pending-changes-page.tsx')),
    link: {
      title: pageTitles.pendingChanges,
      icon: ListChecks,
      group: 'settings',
      permission: 'clients:write',
      isForPendingChanges: true,
    },
  },
  {
    path: '/settings/audit-log',
    page: lazy(() => import('./pages/audit-log/audit-log-page.tsx')),
    link: { title: pageTitles.auditLog, icon: FileClock, group: 'settings', permission: 'audit:read' },
  },
  { path: '/settings/profile', page: lazy(() => import('./pages/profile/profile-page.tsx')) },
  {
    path: '/operator/accounts',
    page: lazy(() => import('./pages/operator/accounts-page.tsx')),
    link: { title: pageTitles.accounts, icon: Building2, group: 'operator', permission: 'accounts:read' },
  },
  {
    path: '/operator/health',
    page: lazy(() => import('./pages/operator/health-page.tsx')),
    link: { title: pageTitles.health, icon: HeartPulse, group: 'operator', permission: 'accounts:read' },
  },
  {
    path: '/operator/settings',
    page: lazy(() => import('./pages/operator/settings-page.tsx')),
    link: {
      title: pageTitles.operatorSettings,
      icon: Settings,
      group: 'operator',
      permission: 'accounts:write',
    },
  },
];

/** The pages that need no sign-in. Inside the layout for people who are signed in. */
export const publicRoutes: readonly PortalRoute[] = signedInRoutes.filter(({ isPublic }) => isPublic);

/** The pages without the layout, for everybody. */
export const signInRoutes: readonly PortalRoute[] = [
  { path: '/sign-in', page: lazy(() => import('./pages/sign-in/sign-in-page.tsx')) },
  { path: '/set-up', page: lazy(() => import('./pages/sign-in/set-up-page.tsx')) },
  { path: '/invitation', page: lazy(() => import('./pages/sign-in/invitation-page.tsx')) },
  { path: '/forgot-password', page: lazy(() => import('./pages/sign-in/forgot-password-page.tsx')) },
  { path: '/step-up', page: lazy(() => import('./pages/sign-in/step-up-page.tsx')) },
  { path: '/reset-password', page: lazy(() => import('./pages/sign-in/reset-password-page.tsx')) },
];

/** Former paths and the current paths of their pages. */
export const movedPaths: Readonly<Record<string, string>> = {
  '/settings/clients': '/integrations/api-keys',
  '/settings': '/settings/profile',
};

/** Lists the links to pages that a person may read in an account, in the order of the navigation. */
export function shownLinks(account: SignedInAccount): (NavigationLink & { readonly path: string })[] {
  return signedInRoutes.flatMap(({ path, link }) =>
    link && isShown(link, account) ? [{ ...link, path }] : [],
  );
}

function isShown(
  { group, permission, isForPendingChanges }: NavigationLink,
  account: SignedInAccount,
): boolean {
  if (group === 'operator' && !account.isOperator) return false;
  if (isForPendingChanges && !account.isSecondPersonRequired) return false;
  return permission === undefined || account.permissions.includes(permission);
}
