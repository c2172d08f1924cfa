import { Button, Group, Stack, Text } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { keyInput, type PrivateKeyForm } from '#messages/key-input.ts';
import { fileStem } from '../save-text.ts';
import { CopyButton } from '../copyable-text.tsx';
import type { KeyChoice } from './generate-key-pair.ts';
import classes from './key-input.module.css';
import { KeyChoiceInput } from './key-choice.tsx';
import { useKeyChoice } from './use-key-choice.ts';

const t = keyInput.commandLine;

export interface CommandLinePanelProps {
  /** The algorithms of the client's profile; undefined until they are known. */
  readonly allowed: readonly string[] | undefined;
  readonly clientName: string;
  readonly onPaste: () => void;
  readonly onUpload: () => void;
}

/** Shows the commands that generate a key pair on the signing machine. */
export function CommandLinePanel({
  allowed,
  clientName,
  onPaste,
  onUpload,
}: CommandLinePanelProps): ReactElement {
  const { choices, choice, setChoice } = useKeyChoice(allowed);
  const [today] = useState(() => new Date().toISOString().slice(0, 10));
  const commands = keyCommands(choice, `${fileStem(clientName)}-${today}`);
  return (
    <Stack gap="md">
      <Text size="sm">{t.intro}</Text>
      <KeyChoiceInput choices={choices} value={choice} onChange={setChoice} />
      <ol className={classes.steps}>
        {(['make', 'publicHalf', 'fingerprint'] as const).map((step) => (
          <li key={step}>
            <Text size="sm" fw={500}>
              {t[step]}
            </Text>
            <Command command={commands[step]} label={`${t.copy}: ${t[step]}`} />
          </li>
        ))}
      </ol>
      <Group gap="xs">
        <Text size="sm">{t.next}</Text>
        <Button variant="default" size="xs" onClick={onPaste}>
          {t.paste}
        </Button>
        <Button variant="default" size="xs" onClick={onUpload}>
          {t.upload}
        </Button>
      </Group>
    </Stack>
  );
}

interface CommandProps {
  readonly command: string;
  readonly label: string;
}

/** A shell command with a copy button. */
export function Command({ command, label }: CommandProps): ReactElement {
  return (
    <div className={classes.command}>
      <code>{command}</code>
      <CopyButton value={command} label={label} />
    </div>
  );
}

/**
 * Returns the commands that generate a key pair. They work with OpenSSL 1.1.1 and 3, and with LibreSSL: for Ed25519, from
 * 3.7 on.
 *
 * @param stem starts the names of the files. One that is in use already would overwrite the key of a running client
 */
function keyCommands(
  choice: KeyChoice,
  stem: string,
): {
  readonly make: string;
  readonly publicHalf: string;
  readonly fingerprint: string;
} {
  const algorithm =
    typeof choice === 'number' ? `RSA -pkeyopt rsa_keygen_bits:${choice}` : opensslNames[choice];
  return {
    make: `openssl genpkey -algorithm ${algorithm} -out ${stem}-private.pem`,
    publicHalf: `openssl pkey -in ${stem}-private.pem -pubout -out ${stem}-public.pem`,
    fingerprint: `openssl pkey -pubin -in ${stem}-public.pem -outform DER | openssl dgst -sha256 -binary | openssl base64 | sed 's/=*$//; s/^/SHA256:/'`,
  };
}

/** What `openssl genpkey -algorithm` takes. */
const opensslNames: Readonly<Record<Exclude<KeyChoice, number>, string>> = {
  ed25519: 'ED25519',
  'ecdsa-p256-sha256': 'EC -pkeyopt ec_paramgen_curve:P-256 -pkeyopt ec_param_enc:named_curve',
  'ecdsa-p384-sha384': 'EC -pkeyopt ec_paramgen_curve:P-384 -pkeyopt ec_param_enc:named_curve',
};

const publicHalfOfPem = 'openssl pkey -in private.pem -pubout';

/** Commands that print the public key of a private key; undefined for a kind that has no public key to use here. */
export const publicHalfCommands: Readonly<Record<PrivateKeyForm, string | undefined>> = {
  encrypted: publicHalfOfPem,
  pkcs8: publicHalfOfPem,
  pkcs1: publicHalfOfPem,
  unknown: publicHalfOfPem,
  openssh: 'ssh-keygen -y -f id_rsa',
  putty: 'puttygen private.ppk -O public-openssh',
  'key-store': 'openssl pkcs12 -in store.p12 -nokeys -clcerts | openssl x509 -noout -pubkey',
  jwk: "jq 'del(.. | objects | .d, .p, .q, .dp, .dq, .qi, .oth)' private.jwk",
  xml: "pwsh -c '$rsa = [Security.Cryptography.RSA]::Create(); $rsa.FromXmlString((Get-Content -Raw private.xml)); $rsa.ExportSubjectPublicKeyInfoPem()'",
  ec: publicHalfOfPem,
  dsa: undefined,
  pgp: undefined,
};
