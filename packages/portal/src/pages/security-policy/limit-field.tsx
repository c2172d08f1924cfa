import { NumberInput, Switch } from '@mantine/core';
import { type ReactElement, useId } from 'react';
import classes from './security-policy.module.css';

interface LimitFieldProps {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly unit: string;
  /** What holds without a limit. */
  readonly unlimited: string;
  readonly isOn: boolean;
  readonly value: number | string;
  readonly max: number;
  readonly error: string | undefined;
  readonly isDisabled: boolean;
  readonly onChange: (isOn: boolean, value: number | string) => void;
}

/** A limit that can be switched on, with its number. */
export function LimitField(props: LimitFieldProps): ReactElement {
  const { id, label, description, unit, unlimited, isOn, value, max, error, isDisabled, onChange } = props;
  const unitId = useId();
  return (
    <div className={classes['limit']}>
      <Switch
        classNames={{ track: classes['track'] }}
        label={label}
        description={description}
        checked={isOn}
        disabled={isDisabled}
        onChange={(event) => onChange(event.currentTarget.checked, value)}
      />
      {isOn ? (
        <div className={classes['number']}>
          <NumberInput
            id={id}
            aria-label={`${label} (${unit})`}
            value={value}
            min={1}
            max={max}
            clampBehavior="none"
            allowDecimal={false}
            allowNegative={false}
            disabled={isDisabled}
            error={error}
            onChange={(next) => onChange(isOn, next)}
            aria-describedby={unitId}
          />
          <span id={unitId} className={classes['unit']}>
            {unit}
          </span>
        </div>
      ) : (
        <div className={classes['unlimited']}>{unlimited}</div>
      )}
    </div>
  );
}
