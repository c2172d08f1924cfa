import { KeyRound, Plus } from 'lucide-react';
import type { ReactElement } from 'react';
import { LinkButton } from '../../../components/app-link.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { useMessages } from '../../../messages/messages.ts';
import { usePermission } from '../../../session/session-context.ts';
import classes from './clients-table.module.css';

/** What stands in the place of the table while there is no client: what one is, and how the first one comes about. */
export function FirstSteps(): ReactElement {
  const t = useMessages('apiKeys');
  const mayAdd = usePermission('clients:write');
  return (
    <div className={classes.card}>
      <EmptyState
        icon={KeyRound}
        title={t.empty.title}
        action={
          mayAdd && (
            <LinkButton to="/integrations/api-keys/new" leftSection={<Plus size={16} aria-hidden />}>
              {t.addClient}
            </LinkButton>
          )
        }
      >
        {mayAdd ? t.empty.text : t.empty.mayNot}
      </EmptyState>
      {mayAdd && (
        <ol className={classes.steps}>
          {t.empty.steps.map(([title, text]) => (
            <li key={title}>
              <span className={classes.stepTitle}>{title}</span>
              {text}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
