import type { ReactElement } from 'react';
import { LinkButton } from '../../components/app-link.tsx';
import { Page } from '../../components/page.tsx';
import { useMessages } from '../../messages/messages.ts';
import { usePermission, usePerson, useSession } from '../../session/session-context.ts';
import { AccountOverview } from './account-overview.tsx';
import { OperatorOverview } from './operator-overview.tsx';

/** The first page: what there is to do, and how things are. The operator's account has a page of its own. */
export default function OverviewPage(): ReactElement {
  const t = useMessages('overview');
  const { account } = useSession();
  const person = usePerson();
  const mayAdd = usePermission('clients:write');
  const isOperator = account?.isOperator === true;
  return (
    <Page
      title={t.title}
      description={t.welcome(person.name)}
      actions={
        mayAdd && !isOperator && <LinkButton to="/integrations/api-keys/new">{t.addClient}</LinkButton>
      }
    >
      {isOperator ? <OperatorOverview /> : <AccountOverview />}
    </Page>
  );
}
