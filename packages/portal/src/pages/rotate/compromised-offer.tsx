import { ShieldAlert } from 'lucide-react';
import type { ReactElement } from 'react';
import { LinkButton } from '../../components/app-link.tsx';
import { useMessages } from '../../messages/messages.ts';
import classes from './rotate.module.css';
import { rotatePath } from './rotation-plan.ts';

/** The other way, beside the steps: for a key that must end at once. */
export function CompromisedOffer({ clientId }: { readonly clientId: string }): ReactElement {
  const t = useMessages('rotate').compromised;
  return (
    <aside className={classes['offer']} aria-label={t.offerTitle}>
      <ShieldAlert size={20} aria-hidden className={classes['offerIcon']} />
      <div className={classes['offerWords']}>
        <strong>{t.offerTitle}</strong>
        <span className={classes['quiet']}>{t.offerText}</span>
      </div>
      <LinkButton to={rotatePath(clientId, { way: 'compromised' })} variant="default" color="red" size="xs">
        {t.offer}
      </LinkButton>
    </aside>
  );
}
