import { Button, Radio } from '@mantine/core';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { useForm } from '../../components/form.tsx';
import { Section } from '../../components/section.tsx';
import { rotate } from '#messages/rotate.ts';
import classes from './rotate.module.css';
import { overlapChoices, rotatePath } from './rotation-plan.ts';

const t = rotate.overlap;

interface ChooseOverlapProps {
  readonly clientId: string;
  readonly overlapSeconds: number;
}

/** The first step: how long both keys work. */
export function ChooseOverlap({ clientId, overlapSeconds }: ChooseOverlapProps): ReactElement {
  const [, navigate] = useLocation();
  const form = useForm({ initialValues: { overlapSeconds } });
  const submit = form.submit((plan) => navigate(rotatePath(clientId, { step: 'key', ...plan })));
  return (
    <Section title={t.title} description={t.text}>
      <form onSubmit={submit} className={classes['overlap']}>
        <Radio.Group
          aria-label={t.label}
          value={String(form.values.overlapSeconds)}
          onChange={(value) => form.set('overlapSeconds', Number(value))}
        >
          <div className={classes['choices']}>
            {overlapChoices.map((choice) => (
              <OverlapChoice key={choice} seconds={choice} />
            ))}
          </div>
        </Radio.Group>
        <OverlapPicture seconds={form.values.overlapSeconds} />
        <div>
          <Button type="submit">{t.next}</Button>
        </div>
      </form>
    </Section>
  );
}

function OverlapChoice({ seconds }: { readonly seconds: number }): ReactElement {
  const hints: Readonly<Record<number, string>> = {
    0: t.atOnceHint,
    3600: t.hourHint,
    86_400: t.dayHint,
    259_200: t.usualHint,
    604_800: t.weekHint,
    2_592_000: t.monthHint,
  };
  const name = seconds === 0 ? t.atOnce : t.span(seconds);
  return (
    <Radio.Card
      value={String(seconds)}
      className={classes['choice']}
      aria-label={`${name}. ${hints[seconds] ?? ''}`}
    >
      <Radio.Indicator />
      <span className={classes['choiceWords']}>
        <span className={classes['choiceName']}>
          {name}
          {seconds === 259_200 && <span className={classes['usual']}>{t.usual}</span>}
        </span>
        <span className={classes['choiceHint']}>{hints[seconds]}</span>
      </span>
    </Radio.Card>
  );
}

function OverlapPicture({ seconds }: { readonly seconds: number }): ReactElement {
  const { span, picture } = t;
  const label = seconds === 0 ? picture.labelAtOnce : picture.label(span(seconds));
  return (
    <figure className={classes['picture']} role="img" aria-label={label}>
      <div className={classes['lane']} data-key="old" data-overlap={seconds > 0 || undefined}>
        <span className={classes['laneName']}>{picture.old}</span>
        <span className={classes['bar']} />
      </div>
      <div className={classes['lane']} data-key="new">
        <span className={classes['laneName']}>{picture.new}</span>
        <span className={classes['bar']} />
      </div>
      <div className={classes['scale']} data-overlap={seconds > 0 || undefined}>
        <span>{picture.now}</span>
        <span>{picture.firstUse}</span>
        {seconds > 0 && <span>{`+ ${span(seconds)}`}</span>}
      </div>
    </figure>
  );
}
