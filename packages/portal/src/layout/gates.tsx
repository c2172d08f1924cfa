import type { ReactElement } from 'react';
import { LinkButton } from '../components/app-link.tsx';
import { layout as t } from '../messages/en/layout.ts';
import { useSession } from '../session/session-context.ts';
import { Page } from '../components/page.tsx';

/** For an address that leads nowhere. */
export function NotFoundPage(): ReactElement {
  return (
    <Page title={t.notFoundTitle} description={t.notFoundText}>
      <div>
        <LinkButton to="/">{t.toOverview}</LinkButton>
      </div>
    </Page>
  );
}

/** For somebody who belongs to no account, or to none any more. */
export function NoAccountPage(): ReactElement {
  return (
    <Page title={t.noAccountTitle} description={t.noAccountText}>
      <div>
        <LinkButton to="/settings/profile">{t.profile}</LinkButton>
      </div>
    </Page>
  );
}

/** For an account that demands a second factor of somebody who has none: it has to be set up before all else. */
export function SecondFactorGate(): ReactElement {
  const { account } = useSession();
  return (
    <Page title={t.secondFactorTitle} description={t.secondFactorText(account?.name ?? '')}>
      <div>
        <LinkButton to="/settings/profile">{t.secondFactorAction}</LinkButton>
      </div>
    </Page>
  );
}
