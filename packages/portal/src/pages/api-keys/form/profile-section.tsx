import { Radio, VisuallyHidden } from '@mantine/core';
import { type ReactElement, useId } from 'react';
import { AppLink } from '../../../components/app-link.tsx';
import { FieldHint, Notice } from '../../../components/notice.tsx';
import { Section } from '../../../components/section.tsx';
import { documentPath } from '../../../documents/document-path.ts';
import { TextWithCode } from '../../../explanation/text-with-code.tsx';
import { messageProfiles as t } from '#messages/message-profiles.ts';
import classes from './profile-section.module.css';
import type { ProfileOption } from './profile-options.ts';

interface ProfileSectionProps {
  readonly id: string;
  readonly options: readonly ProfileOption[];
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly error: string | undefined;
}

/** Selects a client's profile. Each says what it binds, and the chosen one warns of what it leaves open. */
export function ProfileSection(props: ProfileSectionProps): ReactElement {
  return (
    <Section
      title={t.title}
      description={
        <>
          {t.description}{' '}
          <AppLink to={documentPath('message-profiles')} underline="always">
            {t.about}
          </AppLink>
        </>
      }
    >
      <ProfileField {...props} />
    </Section>
  );
}

function ProfileField({ id, options, value, onChange, error }: ProfileSectionProps): ReactElement {
  const chosen = options.find(({ name }) => name === value);
  return (
    <div id={id} tabIndex={-1} className={classes['field']}>
      <Radio.Group
        label={<VisuallyHidden>{t.title}</VisuallyHidden>}
        classNames={{ label: classes['label'] ?? '' }}
        value={value}
        onChange={onChange}
      >
        <div className={classes['options']}>
          {options.map((option) => (
            <Option key={option.name} option={option} />
          ))}
        </div>
      </Radio.Group>
      {error !== undefined && <FieldHint tone="danger">{error}</FieldHint>}
      <div role="status" className={classes['chosen']}>
        {chosen && <Chosen option={chosen} />}
      </div>
    </div>
  );
}

function Option({ option }: { readonly option: ProfileOption }): ReactElement {
  const { name, title, binds, leavesOpen, algorithms, isAccepted } = option;
  const id = useId();
  return (
    <Radio.Card
      value={name}
      className={classes['option']}
      aria-label={title === name ? title : `${title}, ${name}`}
      aria-describedby={id}
    >
      <Radio.Indicator mt={2} />
      <div className={classes['words']}>
        <span className={classes['title']}>{title}</span>
        {title !== name && <code className={classes['name']}>{name}</code>}
        <div id={id} className={classes['parts']}>
          {isAccepted && (
            <span className={classes['binds']}>{binds.length > 0 ? t.binds(binds) : t.bindsNothing}</span>
          )}
          {algorithms.length > 0 && <span className={classes['binds']}>{t.signsWith(algorithms)}</span>}
          {leavesOpen.length > 0 && <FieldHint tone="warning">{`${t.leavesOpen(leavesOpen)}.`}</FieldHint>}
          {!isAccepted && <FieldHint tone="danger">{t.notAccepted}</FieldHint>}
        </div>
      </div>
    </Radio.Card>
  );
}

/** What to know about a profile before it is saved. */
function Chosen({ option }: { readonly option: ProfileOption }): ReactElement {
  const { name, leavesOpen, notes, isAccepted } = option;
  return (
    <>
      {!isAccepted && (
        <Notice tone="danger" title={t.notAcceptedTitle}>
          {t.notAcceptedText(name)}
        </Notice>
      )}
      {leavesOpen.length > 0 && (
        <Notice tone="warning" title={t.openTitle(leavesOpen)}>
          {t.openText(leavesOpen)}
        </Notice>
      )}
      {notes.map((note) => (
        <p key={note} className={classes['note']}>
          <TextWithCode text={note} />
        </p>
      ))}
    </>
  );
}
