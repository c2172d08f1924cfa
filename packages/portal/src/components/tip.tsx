import { Tooltip } from '@mantine/core';
import {
  cloneElement,
  type FocusEvent,
  type MouseEvent,
  type ReactElement,
  useEffect,
  useRef,
  useState,
} from 'react';

interface TipTarget {
  readonly onMouseEnter?: (event: MouseEvent<HTMLElement>) => void;
  readonly onMouseLeave?: () => void;
  readonly onFocus?: (event: FocusEvent<HTMLElement>) => void;
  readonly onBlur?: () => void;
}

interface TipProps {
  readonly label: string;
  readonly children: ReactElement<TipTarget>;
}

/** So that a mouse on its way shows none. */
const openAfterMs = 250;

/**
 * Shows a hint beside an element that a mouse points at or the keyboard is on. Mantine's own element is made only then:
 * a list has a hundred of these, and they took longer than everything else in its rows.
 */
export function Tip({ label, children }: TipProps): ReactElement {
  const [target, setTarget] = useState<HTMLElement>();
  const [isOpen, setIsOpen] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const open = (element: HTMLElement): void => {
    setTarget(element);
    setIsOpen(true);
  };
  const close = (): void => {
    clearTimeout(timer.current);
    setIsOpen(false);
  };
  useCloseOnEscape(isOpen, close);
  return (
    <>
      {cloneElement(children, {
        onMouseEnter: ({ currentTarget }) => {
          timer.current = setTimeout(() => open(currentTarget), openAfterMs);
        },
        onMouseLeave: close,
        onFocus: ({ currentTarget }) => {
          // Not after a click.
          if (currentTarget.matches(':focus-visible')) open(currentTarget);
        },
        onBlur: close,
      })}
      {target && <Tooltip label={label} target={target} opened={isOpen} />}
    </>
  );
}

/** WCAG 2.2, 1.4.13: what appears can be dismissed without moving the mouse. */
function useCloseOnEscape(isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    const listen = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') close();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  });
}
