import type { ReactElement } from 'react';
import { useMessages } from '../../messages/messages.ts';
import classes from './rotate.module.css';

/** Shows when each of the two keys works. */
export function OverlapPicture({ seconds }: { readonly seconds: number }): ReactElement {
  const { span, picture: t } = useMessages('rotate').overlap;
  const label = seconds === 0 ? t.labelAtOnce : t.label(span(seconds));
  return (
    <figure className={classes['picture']} role="img" aria-label={label}>
      <div className={classes['lane']} data-key="old" data-overlap={seconds > 0 || undefined}>
        <span className={classes['laneName']}>{t.old}</span>
        <span className={classes['bar']} />
      </div>
      <div className={classes['lane']} data-key="new">
        <span className={classes['laneName']}>{t.new}</span>
        <span className={classes['bar']} />
      </div>
      <div className={classes['scale']} data-overlap={seconds > 0 || undefined}>
        <span>{t.now}</span>
        <span>{t.firstUse}</span>
        {seconds > 0 && <span>{`+ ${span(seconds)}`}</span>}
      </div>
    </figure>
  );
}
