import { NativeSelect, Select } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useNow } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { exactTime, timeIn } from '../../components/time-words.ts';
import { profile } from '#messages/profile.ts';
import {
  browserZone,
  chooseTimeForm,
  clockForms,
  dateForms,
  type TimeForm,
  useTimeForm,
  zoneOfBrowser,
} from '../../session/time-form.ts';
import classes from './profile.module.css';

const t = profile.times;

/** The time zone and the form of dates and times, which change at once. */
export function TimeSection(): ReactElement {
  const form = useTimeForm();
  const nowMs = useNow();
  const [zones] = useState(zoneOptions);
  const change = (changed: Partial<TimeForm>): void => chooseTimeForm({ ...form, ...changed });
  const isListed = zones.some(({ value }) => value === form.zone);
  return (
    <Section title={t.title} description={t.text}>
      <div className={classes['form']}>
        <Select
          label={t.zone}
          data={isListed ? zones : [...zones, zoneOption(form.zone)]}
          value={form.zone}
          onChange={(zone) => zone !== null && change({ zone })}
          searchable
          allowDeselect={false}
          nothingFoundMessage={t.zoneNotFound}
          limit={80}
          maxDropdownHeight={280}
        />
        <NativeSelect
          label={t.date}
          value={form.date}
          onChange={(event) => change({ date: event.currentTarget.value as TimeForm['date'] })}
          data={dateForms.map((date) => {
            const example = timeIn({ ...form, date }, nowMs).date;
            return { value: date, label: date === 'language' ? t.ofLanguage(example) : example };
          })}
        />
        <NativeSelect
          label={t.clock}
          value={form.clock}
          onChange={(event) => change({ clock: event.currentTarget.value as TimeForm['clock'] })}
          data={clockForms.map((clock) => {
            const example = timeIn({ ...form, clock }, nowMs).clock;
            return {
              value: clock,
              label: clock === 'language' ? t.ofLanguage(example) : t.clocks[clock](example),
            };
          })}
        />
        <p className={classes['text']} role="status">
          {t.now(exactTime(new Date(nowMs).toISOString()))}
        </p>
      </div>
    </Section>
  );
}

/** Browsers list some zones under names that are no longer used. They understand both. */
const newNames = [
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Europe/Kyiv',
] as const;

interface ZoneOption {
  readonly value: string;
  readonly label: string;
}

function zoneOptions(): ZoneOption[] {
  const listed = Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC');
  const names = [...new Set([...listed, ...newNames])].toSorted();
  return [
    { value: browserZone, label: t.zoneOfBrowser(zoneOfBrowser().replaceAll('_', ' ')) },
    ...['UTC', ...names].map(zoneOption),
  ];
}

/** People search for `New York`, not for `New_York`. */
function zoneOption(name: string): ZoneOption {
  return { value: name, label: name.replaceAll('_', ' ') };
}
