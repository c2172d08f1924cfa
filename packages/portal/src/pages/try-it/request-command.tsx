import type { ReactElement } from 'react';
import { CodeBlock } from '../../code/code-block.tsx';
import { Section } from '../../components/section.tsx';
import { tryIt as t } from '#messages/try-it.ts';
import { commandFor } from './command-for.ts';
import type { TriedRequest } from './signed-exchange.ts';

/** The command that sends the same request from a terminal. */
export function RequestCommand(request: Omit<TriedRequest, 'privateKey'>): ReactElement {
  return (
    <Section title={t.command}>
      <CodeBlock code={commandFor(request)} language="sh" label={t.commandLabel} copyLabel={t.commandCopy} />
    </Section>
  );
}
