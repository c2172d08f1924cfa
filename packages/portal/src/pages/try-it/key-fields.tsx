import type { Client } from '@countersign/contract';
import { Button, FileInput, PasswordInput, SegmentedControl, Textarea } from '@mantine/core';
import { type ReactElement, useRef, useState } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FieldHint } from '../../components/notice.tsx';
import { Section } from '../../components/section.tsx';
import { Countdown } from '../../keys/countdown.tsx';
import { tryIt as t } from '#messages/try-it.ts';
import { usePermission } from '../../session/session-context.ts';
import classes from './try-it.module.css';
import { type PageKeyState, temporaryMinutes } from './use-page-key.ts';

interface KeyFieldsProps {
  readonly client: Client;
  readonly pageKey: PageKeyState;
}

type KeyFrom = 'temporary' | 'own';

/** The key that signs: generated for the moment, or the person's own. */
export function KeyFields({ client, pageKey }: KeyFieldsProps): ReactElement {
  const [from, setFrom] = useState<KeyFrom>('temporary');
  const { key, isBusy, error, drop } = pageKey;
  return (
    <Section
      title={t.key}
      description={t.keyText}
      actions={
        <SegmentedControl
          aria-label={t.keyFrom}
          size="sm"
          data={[
            { value: 'temporary', label: t.temporary },
            { value: 'own', label: t.own },
          ]}
          value={from}
          disabled={key !== undefined}
          onChange={setFrom}
        />
      }
    >
      <div className={classes['fields']}>
        {key === undefined && from === 'temporary' && <TemporaryKey client={client} pageKey={pageKey} />}
        {key === undefined && from === 'own' && <OwnKey pageKey={pageKey} />}
        {key !== undefined && (
          <>
            <FieldHint tone="success" isLive>
              {t.ready}
            </FieldHint>
            {client.expiresAt !== undefined && (
              <FieldHint>
                {t.clientExpires} <Countdown to={client.expiresAt} />
              </FieldHint>
            )}
            <div>
              <Button variant="default" loading={isBusy} onClick={() => void drop()}>
                {key.keyId === undefined ? t.forget : t.revoke}
              </Button>
            </div>
          </>
        )}
        <ErrorNotice error={error} />
      </div>
    </Section>
  );
}

function TemporaryKey({ client, pageKey: { isBusy, generate } }: KeyFieldsProps): ReactElement {
  const isAllowed = usePermission('keys:write');
  if (!isAllowed) return <FieldHint tone="warning">{t.mayNotAdd}</FieldHint>;
  // The service would end the other key some time after the first use of this one.
  if (client.keys.some(({ status }) => status !== 'retiring'))
    return <FieldHint tone="warning">{t.wouldRetire}</FieldHint>;
  return (
    <>
      <FieldHint>{t.temporaryText(temporaryMinutes)}</FieldHint>
      <div>
        <Button variant="default" loading={isBusy} onClick={() => void generate()}>
          {t.generate}
        </Button>
      </div>
    </>
  );
}

/** Only the field has the text, until it is read: a field that grows with its text would keep a copy. */
function OwnKey({ pageKey: { isBusy, mistake, read } }: Pick<KeyFieldsProps, 'pageKey'>): ReactElement {
  const text = useRef<HTMLTextAreaElement>(null);
  const passphrase = useRef<HTMLInputElement>(null);
  const take = async (key: string): Promise<void> => {
    const secret = passphrase.current?.value ?? '';
    for (const field of [text.current, passphrase.current]) if (field) field.value = '';
    await read(key, secret);
  };
  return (
    <>
      <Textarea
        ref={text}
        label={t.privateKey}
        error={mistake}
        rows={4}
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: classes['code'] ?? '' }}
      />
      <FileInput
        label={t.privateKeyFile}
        value={null}
        onChange={(file) => void file?.slice(0, fileBytesMax).text().then(take)}
      />
      <PasswordInput ref={passphrase} label={t.passphrase} autoComplete="off" className={classes['narrow']} />
      <div>
        <Button variant="default" loading={isBusy} onClick={() => void take(text.current?.value ?? '')}>
          {t.use}
        </Button>
      </div>
    </>
  );
}

const fileBytesMax = 100_000;
