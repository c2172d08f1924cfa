import { type Client, nameCharactersMax } from '@countersign/contract';
import { Button } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { api } from '../../api/api.ts';
import { useApiQuery } from '../../api/queries.ts';
import { useIdempotencyKey } from '../../clients/idempotency-key.ts';
import { RolesField } from '../../clients/roles-field.tsx';
import { useClientChange } from '../../clients/use-client-change.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FieldHint } from '../../components/notice.tsx';
import { Section } from '../../components/section.tsx';
import { useAction } from '../../components/use-action.ts';
import { tryIt as t } from '#messages/try-it.ts';
import { usePerson, useSession } from '../../session/session-context.ts';
import { generateMomentaryKeyPair } from './page-key.ts';
import classes from './try-it.module.css';
import { temporaryMinutes } from './use-page-key.ts';

/** A client that this page has added, with its key. */
export interface TemporaryClient {
  readonly clientId: string;
  readonly privateKey: CryptoKey;
}

interface TemporaryClientSectionProps {
  readonly onAdded: (client: TemporaryClient) => void;
}

/** Adds a client for some minutes, with a key pair of this page. It can call from the person's address alone. */
export function TemporaryClientSection({ onAdded }: TemporaryClientSectionProps): ReactElement {
  const [roles, setRoles] = useState<readonly string[]>([]);
  // A client with roles would wait for the second person, longer than this page keeps its key.
  const waitsWithRoles = useSession().account?.isSecondPersonRequired === true;
  const source = useApiQuery('getSource');
  const address = source.data?.sourceAddress;
  const adding = useAction(useAddTemporaryClient(address, roles, onAdded));
  return (
    <Section title={t.temporaryClient} description={t.temporaryClientText(temporaryMinutes)}>
      <div className={classes['fields']}>
        <p className={classes['hint']}>{waitsWithRoles ? t.temporaryNoRoles : t.temporaryRolesText}</p>
        {!waitsWithRoles && <RolesField label={t.temporaryRoles} value={roles} onChange={setRoles} />}
        <FieldHint>{address === undefined ? t.addressUnknown : t.addressOnly(address)}</FieldHint>
        <div>
          <Button loading={adding.isBusy} disabled={address === undefined} onClick={() => void adding.run()}>
            {t.addTemporary}
          </Button>
        </div>
        <ErrorNotice error={adding.error} />
      </div>
    </Section>
  );
}

function useAddTemporaryClient(
  address: string | undefined,
  roles: readonly string[],
  onAdded: TemporaryClientSectionProps['onAdded'],
): () => Promise<void> {
  const change = useClientChange();
  const idempotencyKeyFor = useIdempotencyKey();
  const { name } = usePerson();
  return async () => {
    if (address === undefined) return;
    const { privateKey, publicKey } = await generateMomentaryKeyPair();
    const body = {
      name: t.temporaryName(name).slice(0, nameCharactersMax).trim(),
      networkWhitelist: [{ entry: address, label: t.temporaryLabel }],
      roles: [...roles],
      publicKey,
      // Browsers do not let a page set Date.
      profile: 'countersign-without-date',
      expiresAt: new Date(Date.now() + temporaryMinutes * 60_000).toISOString(),
    };
    let added: Client | undefined;
    await change(async () => {
      added = await api.call('addClient', { idempotencyKey: idempotencyKeyFor(publicKey), body });
    }, t.temporaryAdded);
    if (added !== undefined) onAdded({ clientId: added.clientId, privateKey });
  };
}
