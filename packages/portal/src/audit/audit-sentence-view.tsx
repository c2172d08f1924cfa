import type { AuditEvent } from '@countersign/contract';
import { Anchor } from '@mantine/core';
import { Fragment, type ReactElement } from 'react';
import { Link } from 'wouter';
import { shortTime } from '../components/time-words.ts';
import type { AuditPart } from '../messages/audit-words.ts';
import type { AuditNames } from './audit-facts.ts';
import { auditSentence } from './audit-sentence.ts';
import classes from './audit.module.css';

/** Shows an audit event in words, with links to the resources that still have a page. */
export function AuditSentence({
  event,
  names,
}: {
  readonly event: AuditEvent;
  readonly names?: AuditNames | undefined;
}): ReactElement {
  return (
    <span className={classes.sentence}>
      {auditSentence(event, names).map((part, index) => (
        // Pieces never change their order.
        <Fragment key={index}>{typeof part === 'string' ? part : <Part part={part} />}</Fragment>
      ))}
    </span>
  );
}

/** Isolates what people wrote, so that no text can change the direction of the rest. */
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
