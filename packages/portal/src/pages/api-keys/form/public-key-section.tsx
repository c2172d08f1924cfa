import type { ReactElement } from 'react';
import { KeyInput } from '../../../components/key-input/key-input.tsx';
import type { KeyInputState } from '../../../components/key-input/key-input-state.ts';
import { fileStem } from '../../../components/key-input/save-text.ts';
import { Section } from '../../../components/section.tsx';
import { useMessages } from '../../../messages/messages.ts';
import { fieldIds } from './form-errors.ts';

/** What the part for the public key needs. */
export interface PublicKeySectionProps {
  /** The name of the client, for the names of files. */
  readonly name: string;
  readonly onChange: (state: KeyInputState) => void;
  readonly error: string | undefined;
  readonly description?: string;
}

/** The public key of a client, with the key box. */
export function PublicKeySection({
  name,
  onChange,
  error,
  description,
}: PublicKeySectionProps): ReactElement {
  const t = useMessages('apiKeys').form;
  return (
    <Section title={t.publicKey} description={description ?? t.publicKeyDescription}>
      <KeyInput fieldId={fieldIds.publicKey} fileStem={fileStem(name)} onChange={onChange} error={error} />
    </Section>
  );
}
