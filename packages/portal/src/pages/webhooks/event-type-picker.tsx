import type { Permission } from '@countersign/contract';
import { Checkbox, SegmentedControl } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import type { Form } from '../../components/form.tsx';
import { FieldHint } from '../../components/notice.tsx';
import { webhooks } from '#messages/webhooks.ts';
import { useSession } from '../../session/session-context.ts';
import { type EventGroupName, eventGroups, type EventType } from './event-groups.ts';
import type { WebhookDraft } from './webhook-draft.ts';
import classes from './webhooks.module.css';

const t = webhooks.form;

/** All types of events, or some, by group or one by one. */
export function EventTypePicker({ form }: { readonly form: Form<WebhookDraft> }): ReactElement {
  const { scope, eventTypes } = form.values;
  const error = form.mistakes['eventTypes'];
  const isOperator = useSession().account?.isOperator ?? false;
  return (
    <div className={classes['stack']}>
      <div className={classes['scopes']}>
        <SegmentedControl
          aria-label={t.scope}
          data={[
            { value: 'all', label: t.all },
            { value: 'some', label: t.some },
          ]}
          value={scope}
          onChange={(next) => form.set('scope', next === 'some' ? 'some' : 'all')}
        />
        <span className={classes['hint']}>{scope === 'all' ? t.allHint : t.someHint}</span>
      </div>
      {scope === 'some' && (
        <div id={form.field('eventTypes').id} tabIndex={-1} className={classes['groups']}>
          {eventGroups(eventTypes, { isOperator }).map(({ group, types }) => (
            <EventGroup
              key={group}
              group={group}
              types={types}
              chosen={eventTypes}
              onChange={(next) => form.set('eventTypes', next)}
            />
          ))}
        </div>
      )}
      {error !== undefined && <FieldHint tone="danger">{error}</FieldHint>}
    </div>
  );
}

interface EventGroupProps {
  readonly group: EventGroupName;
  readonly types: readonly EventType[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

function EventGroup({ group, types, chosen, onChange }: EventGroupProps): ReactElement {
  const held: readonly Permission[] = useSession().account?.permissions ?? [];
  const mayChoose = ({ name, permission }: EventType): boolean =>
    chosen.includes(name) || held.some((one) => one === permission);
  const title = webhooks.groups[group];
  const [isOpen, setIsOpen] = useState(() => types.some(({ name }) => chosen.includes(name)));
  const names = types.filter(mayChoose).map(({ name }) => name);
  const count = types.filter(({ name }) => chosen.includes(name)).length;
  const without = (removed: readonly string[]): readonly string[] =>
    chosen.filter((name) => !removed.includes(name));
  return (
    <details
      className={classes['group']}
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>
        <span className={classes['groupTitle']}>{title}</span>
        <span className={classes['dimmed']}>{t.selected(count, types.length)}</span>
      </summary>
      <div className={classes['types']}>
        <Checkbox
          label={t.selectGroup(title)}
          checked={count === types.length}
          indeterminate={count > 0 && count < types.length}
          disabled={names.length === 0}
          onChange={(event) =>
            onChange(event.currentTarget.checked ? [...without(names), ...names] : without(names))
          }
        />
        {types.map((type) => (
          <Checkbox
            key={type.name}
            label={<code>{type.name}</code>}
            description={mayChoose(type) ? type.summary : `${type.summary}. ${t.notHeld} ${type.permission}.`}
            disabled={!mayChoose(type)}
            checked={chosen.includes(type.name)}
            onChange={(event) =>
              onChange(event.currentTarget.checked ? [...chosen, type.name] : without([type.name]))
            }
          />
        ))}
      </div>
    </details>
  );
}
