import { Button } from '@mantine/core';
import { type ReactElement, useEffect, useRef } from 'react';
import { keyInput as t } from '#messages/key-input.ts';
import { CopyableText } from '../copyable-text.tsx';
import { Notice } from '../notice.tsx';
import { Command, publicHalfCommands } from './command-line-panel.tsx';
import classes from './key-input.module.css';
import type { AcceptedKey } from './key-input-state.ts';
import type { KeyReading } from './read-key-text.ts';

export interface KeyVerdictProps {
  readonly reading: KeyReading;
  readonly onGenerate: () => void;
}

/** Describes the text, and announces changes. */
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
  if (reading.kind === 'accepted') return <AcceptedKeyCard accepted={reading.key} />;
  if (reading.kind !== 'refused') return null;
  return (
    <Notice tone="danger" title={t.refused.title(reading.problem)}>
      {t.refused.advice(reading.problem) ?? reading.advice}
    </Notice>
  );
}

export function AcceptedKeyCard({ accepted }: { readonly accepted: AcceptedKey }): ReactElement {
  const hint = t.accepted.hint(accepted.format);
  return (
    <Notice tone="success" title={t.accepted.title(accepted.format, accepted.description)}>
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

interface PrivateKeyRefusedProps {
  readonly reading: Extract<KeyReading, { kind: 'private-key' }>;
  readonly onGenerate: () => void;
}

/** Explains that the text was a private key and was removed, and how to get its public key. */
function PrivateKeyRefused({ reading, onGenerate }: PrivateKeyRefusedProps): ReactElement {
  const words = t.privateKey;
  const command = publicHalfCommands[reading.form];
  const place = useRef<HTMLDivElement>(null);
  // A paste empties the field, so a person who does not see why would paste again.
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' });
  }, [reading]);
  return (
    <div ref={place} className={classes.inView}>
      <Notice
        tone="danger"
        role="alert"
        title={words.title(reading.form, reading.bits)}
        action={
          <Button variant="default" size="xs" onClick={onGenerate}>
            {words.generate}
          </Button>
        }
      >
        <div className={classes.facts}>
          <span>{words.notSent}</span>
          <span>{command === undefined ? words.otherKind(reading.form) : words.publicHalf}</span>
          {command !== undefined && <Command command={command} label={words.command} />}
          <span>{words.leaked}</span>
        </div>
      </Notice>
    </div>
  );
}
