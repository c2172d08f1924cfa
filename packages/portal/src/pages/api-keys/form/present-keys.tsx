import type { Key } from '@countersign/contract';
import type { ReactElement } from 'react';
import { LinkButton } from '../../../components/app-link.tsx';
import { CopyableText } from '../../../components/copyable-text.tsx';
import { Section } from '../../../components/section.tsx';
import { useMessages } from '../../../messages/messages.ts';
import { usePermission } from '../../../session/session-context.ts';
import { clientPath } from '../../client/client-path.ts';
import { KeyStatusBadge } from '../../client/status-badges.tsx';
import classes from './present-keys.module.css';

/** What is shown of the keys of a client. */
export interface PresentKeysProps {
  readonly clientId: string;
  readonly keys: readonly Key[];
}

/** The keys that a client has, and the way to change them: by rotating. */
export function PresentKeys({ clientId, keys }: PresentKeysProps): ReactElement {
  const t = useMessages('apiKeys');
  const mayRotate = usePermission('keys:write');
  return (
    <Section
      title={t.form.publicKey}
      description={t.form.publicKeyOfUpdate}
      actions={
        mayRotate &&
        keys.length > 0 && (
          <LinkButton variant="default" to={clientPath(clientId, '/rotate')}>
            {t.actions.rotate}
          </LinkButton>
        )
      }
    >
      <ul className={classes.keys}>
        {keys.map((key) => (
          <li key={key.keyId}>
            <KeyStatusBadge status={key.status} />
            <CopyableText value={key.fingerprint} label={t.result.fingerprint} />
          </li>
        ))}
        {keys.length === 0 && <li>{t.table.noKeys}</li>}
      </ul>
    </Section>
  );
}
