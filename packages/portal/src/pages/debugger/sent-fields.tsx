import { holdsPrivateKey } from '@countersign/signature';
import { Textarea } from '@mantine/core';
import { ChevronRight } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import type { Form } from '../../components/form.tsx';
import { FieldHint } from '../../components/notice.tsx';
import { signatureDebugger as t } from '#messages/debugger.ts';
import type { DebugForm } from './debug-form.ts';
import classes from './debugger.module.css';

/** Takes the request as the program sent it, to find what changed it in transit. */
export function SentFields({ form }: { readonly form: Form<DebugForm> }): ReactElement {
  const [hadPrivateKey, setHadPrivateKey] = useState(false);
  const take = (text: string): void => {
    const isPrivate = holdsPrivateKey(text);
    setHadPrivateKey(isPrivate);
    form.set('sent', isPrivate ? '' : text);
  };
  return (
    <details className={classes['more']}>
      <summary>
        <ChevronRight size={15} aria-hidden className={classes['chevron']} /> {t.compare}
      </summary>
      <div className={classes['more-fields']}>
        <Textarea
          {...form.field('sent')}
          onChange={(event) => take(event.currentTarget.value)}
          label={t.sent}
          description={t.sentHint}
          autosize
          minRows={6}
          maxRows={24}
          spellCheck={false}
          autoCapitalize="off"
          autoCorrect="off"
          className={classes['wide']}
          classNames={{ input: classes['code'] }}
        />
        {hadPrivateKey && (
          <FieldHint tone="danger" isLive>
            {t.privateKey}
          </FieldHint>
        )}
      </div>
    </details>
  );
}
