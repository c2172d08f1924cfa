import type { AuditEvent } from '@countersign/contract';
import { Anchor } from '@mantine/core';
import { Fragment, type ReactElement } from 'react';
import { Link } from 'wouter';
import { shortTime } from '../components/time-words.ts';
import { useMessages } from '../messages/messages.ts';
import type { AuditNames } from './audit-facts.ts';
import type { AuditPart } from './audit-parts.ts';
import { auditSentence } from './audit-sentence.ts';
import classes from './audit.module.css';

/** An audit event in words: who did what to what, with links to what still has a page. */
export function AuditSentence({
  event,
  names,
}: {
  readonly event: AuditEvent;
  readonly names?: AuditNames | undefined;
}): ReactElement {
  const words = useMessages('auditEvents');
  const sentence = auditSentence(event, words, names);
  return (
    <span className={classes.sentence}>
      {sentence.map((part, index) => (
        // The pieces of a sentence never change their order.
        <Fragment key={index}>{typeof part === 'string' ? part : <Part part={part} />}</Fragment>
      ))}
    </span>
  );
}

/** What people wrote stands in an element of its own, so that no text can turn the direction of the rest. */
function Part({ part: { kind, text, href, title } }: { readonly part: AuditPart }): ReactElement {
  if (kind === 'time') return <time dateTime={text}>{shortTime(text)}</time>;
  const className = classes[kind === 'key' ? 'code' : kind === 'value' ? 'value' : 'name'];
  if (href === undefined) {
    return (
      <bdi className={className} title={title}>
        {text}
      </bdi>
    );
  }
  return (
    <Anchor component={Link} href={href} className={className} title={title} inherit>
      <bdi>{text}</bdi>
    </Anchor>
  );
}
