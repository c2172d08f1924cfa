import type { SecurityPolicy } from '@countersign/contract';
import { type ReactElement, useState } from 'react';
import type { Entity } from '../../api/api.ts';
import { useEntityQuery } from '../../api/queries.ts';
import { Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useMessages } from '../../messages/messages.ts';
import { usePermission } from '../../session/session-context.ts';
import { PolicyForm } from './policy-form.tsx';

/** Settings > Security policies: what the account demands of its people and keys. */
export default function SecurityPolicyPage(): ReactElement {
  const t = useMessages('securityPolicy');
  const mayChange = usePermission('policy:write');
  const query = useEntityQuery('getSecurityPolicy');
  return (
    <Page title={t.title} description={t.description}>
      {!mayChange && <Notice tone="neutral">{t.noPermission}</Notice>}
      <QueryState query={query}>
        {(entity) => <StablePolicy entity={entity} mayChange={mayChange} />}
      </QueryState>
    </Page>
  );
}

/** The form goes on from what it began with while something in it is not saved. */
function StablePolicy({
  entity,
  mayChange,
}: {
  readonly entity: Entity<SecurityPolicy>;
  readonly mayChange: boolean;
}): ReactElement {
  const [begun, setBegun] = useState(entity);
  const [isDirty, setIsDirty] = useState(false);
  if (!isDirty && begun !== entity) setBegun(entity);
  return (
    <PolicyForm
      key={begun.entityTag}
      policy={begun.body}
      entityTag={begun.entityTag}
      mayChange={mayChange}
      onDirty={setIsDirty}
    />
  );
}
