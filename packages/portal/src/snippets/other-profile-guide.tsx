import type { Key } from '@countersign/contract';
import { keyAlgorithms } from '@countersign/contract/signing-algorithms';
import { keyThumbprint } from '@countersign/signature/messages';
import { type ReactElement, useEffect, useState } from 'react';
import { useApiQuery } from '../api/queries.ts';
import { useProfile } from '../clients/client-profile.tsx';
import { CodeBlock } from '../code/code-block.tsx';
import { AppLink } from '../components/app-link.tsx';
import { CopyableText } from '../components/copyable-text.tsx';
import { Facts } from '../components/facts.tsx';
import { Notice } from '../components/notice.tsx';
import { savedKeyFile } from '../components/private-key-file.ts';
import { documentPath } from '../documents/document-path.ts';
import { TextWithCode } from '../explanation/text-with-code.tsx';
import { messageProfiles as t } from '#messages/message-profiles.ts';
import { usePermission } from '../session/session-context.ts';
import type { ClientExamplesProps } from './client-examples.tsx';
import { curlCommand, digitsCommand } from './curl-commands.ts';
import classes from './other-profile-guide.module.css';
import { Step, Steps } from './steps.tsx';

/** How a client signs by another profile than the closed one, which no program of the examples does. */
export function OtherProfileGuide({ baseUrl, client, usedKey }: ClientExamplesProps): ReactElement {
  const { clientId, profile } = client;
  const { entry } = useProfile(profile);
  return (
    <div className={classes['guide']}>
      {profile === curlProfile ? (
        <Curl baseUrl={baseUrl} clientId={clientId} usedKey={usedKey} />
      ) : (
        <>
          <p>{t.signing.other(entry?.title ?? profile)}</p>
          <Identification clientId={clientId} usedKey={usedKey} />
        </>
      )}
      {entry?.notes.map((note) => (
        <p key={note} className={classes['note']}>
          <TextWithCode text={note} />
        </p>
      ))}
      <p className={classes['links']}>
        <AppLink to={documentPath('message-profiles', { anchor: anchorOf(profile) })}>
          {t.signing.rules}
        </AppLink>
        <AppLink to={documentPath('other-profiles')}>{t.signing.service}</AppLink>
      </p>
    </div>
  );
}

const curlProfile = 'curl-8.22';

/** Returns the anchor of a profile's section; a profile that the operator wrote has none, so that the document opens at its start. */
function anchorOf(profile: string): string {
  return profile.replaceAll('.', '');
}

interface ExamplesProps extends Pick<ClientExamplesProps, 'usedKey'> {
  readonly clientId: string;
}

/** The command that signs by itself. */
function Curl({ baseUrl, clientId, usedKey }: ExamplesProps & { readonly baseUrl: string }): ReactElement {
  const words = t.curl;
  const privateKeyFile = savedKeyFile(usedKey?.fingerprint) ?? 'private.pem';
  const digitsFile = privateKeyFile.replace(/(?:\.pem)?$/, '.hex');
  const values = { baseUrl, clientId, privateKeyFile, digitsFile };
  const algorithm = usedKey?.algorithm;
  return (
    <>
      <p>{words.intro}</p>
      {algorithm !== undefined && algorithm !== 'ed25519' && (
        <Notice tone="warning" title={words.keyKind(keyAlgorithms[algorithm].keyTitle)}>
          {words.keyKindText}
        </Notice>
      )}
      <Steps>
        <Step title={words.convert} text={words.convertText}>
          <CodeBlock
            code={digitsCommand(values)}
            language="sh"
            label={words.convertCommand}
            copyLabel={words.convertCommand}
          />
        </Step>
        <Step title={words.send} text={words.sendText}>
          <CodeBlock
            code={curlCommand(values)}
            language="sh"
            label={words.sendCommand}
            copyLabel={words.sendCommand}
          />
        </Step>
      </Steps>
    </>
  );
}

/** What the caller can name as `keyid`. */
function Identification({ clientId, usedKey }: ExamplesProps): ReactElement {
  const words = t.signing;
  const thumbprint = useThumbprint(clientId, usedKey);
  return (
    <div className={classes['keyid']}>
      <p className={classes['note']}>
        <TextWithCode text={words.keyidHint} />
      </p>
      <Facts
        width="wide"
        items={[
          { label: words.clientId, value: <CopyableText value={clientId} label={words.clientId} /> },
          ...(thumbprint === undefined
            ? []
            : [
                {
                  label: words.thumbprint,
                  value: <CopyableText value={thumbprint} label={words.thumbprint} />,
                },
              ]),
        ]}
      />
    </div>
  );
}

/** Returns the thumbprint of a client's key; undefined if it has none, and where the browser cannot compute it. */
function useThumbprint(clientId: string, usedKey: Pick<Key, 'fingerprint'> | undefined): string | undefined {
  const maySeeKeys = usePermission('keys:read');
  const { data } = useApiQuery(
    'listKeys',
    { path: { clientId }, query: { limit: 100 } },
    { enabled: maySeeKeys && usedKey !== undefined },
  );
  const pem = data?.data.find(({ fingerprint }) => fingerprint === usedKey?.fingerprint)?.publicKeyPem;
  const [computed, setComputed] = useState<{ readonly pem: string; readonly thumbprint: string }>();
  useEffect(() => {
    if (pem === undefined) return undefined;
    let isCurrent = true;
    // Fails on pages without Web Crypto, and for kinds of keys that the browser lacks.
    keyThumbprint(pem).then(
      (thumbprint) => isCurrent && setComputed({ pem, thumbprint }),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [pem]);
  return computed?.pem === pem ? computed?.thumbprint : undefined;
}
