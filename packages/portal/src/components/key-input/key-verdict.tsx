import type { ReactElement } from 'react';
import { useMessages } from '../../messages/messages.ts';
import { CopyableText } from '../copyable-text.tsx';
import { Notice } from '../notice.tsx';
import type { AcceptedKey, KeyReading } from './key-input-state.ts';
import classes from './key-input.module.css';
import { PrivateKeyRefused } from './private-key-refused.tsx';

/** What `KeyVerdict` shows. */
export interface KeyVerdictProps {
  readonly reading: KeyReading;
  readonly onGenerate: () => void;
}

/** Says what a text was recognised as, while it is typed or pasted; spoken when it changes. */
export function KeyVerdict({ reading, onGenerate }: KeyVerdictProps): ReactElement {
  return (
    <>
      <div role="status">
        <Finding reading={reading} />
      </div>
      {reading.kind === 'private-key' && <PrivateKeyRefused reading={reading} onGenerate={onGenerate} />}
    </>
  );
}

function Finding({ reading }: { readonly reading: KeyReading }): ReactElement | null {
  const t = useMessages('keyInput');
  if (reading.kind === 'accepted') return <AcceptedKeyCard accepted={reading.key} />;
  if (reading.kind !== 'refused') return null;
  return (
    <Notice tone="danger" title={t.refused.title(reading.problem)}>
      {t.refused.advice(reading.problem) ?? reading.advice}
    </Notice>
  );
}

/** A key that can be used: kind, size and fingerprint. */
export function AcceptedKeyCard({ accepted }: { readonly accepted: AcceptedKey }): ReactElement {
  const t = useMessages('keyInput');
  const hint = t.accepted.hint(accepted.format);
  return (
    <Notice tone="success" title={t.accepted.title(t.accepted.kind(accepted.format), accepted.modulusBits)}>
      <div className={classes.facts}>
        {accepted.fingerprint === undefined ? (
          t.accepted.noFingerprint
        ) : (
          <CopyableText value={accepted.fingerprint} label={t.accepted.fingerprint} />
        )}
        {hint !== undefined && <span>{hint}</span>}
      </div>
    </Notice>
  );
}
