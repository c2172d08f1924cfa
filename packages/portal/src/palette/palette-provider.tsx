import { ActionIcon, UnstyledButton } from '@mantine/core';
import { Search } from 'lucide-react';
import {
  createContext,
  lazy,
  type ReactElement,
  type ReactNode,
  Suspense,
  useContext,
  useEffect,
  useState,
} from 'react';
import { palette as t } from '#messages/palette.ts';
import classes from './palette.module.css';

const PaletteDialog = lazy(() => import('./palette-dialog.tsx'));

const OpenPaletteContext = createContext<() => void>(() => undefined);

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Opens the palette on Ctrl-K, on a Mac on Cmd-K, or by its buttons. Its code is loaded when it is first opened. */
export function PaletteProvider({ children }: { readonly children: ReactNode }): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);
  const open = (): void => {
    setWasOpened(true);
    setIsOpen(true);
  };
  useEffect(() => {
    const followKeys = (event: KeyboardEvent): void => {
      const isHeld = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
      if (!isHeld || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      // An open dialog takes precedence.
      if (document.querySelector('[aria-modal="true"]') === null) open();
    };
    addEventListener('keydown', followKeys);
    return () => removeEventListener('keydown', followKeys);
  }, []);
  return (
    <OpenPaletteContext value={open}>
      {children}
      {wasOpened && (
        <Suspense fallback={null}>
          <PaletteDialog opened={isOpen} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </OpenPaletteContext>
  );
}

interface PaletteButtonProps {
  readonly isIcon?: boolean;
  /** Called before the palette opens, so that a drawer can close. */
  readonly onOpen?: (() => void) | undefined;
}

/** Opens the palette. */
export function PaletteButton({ isIcon = false, onOpen }: PaletteButtonProps): ReactElement {
  const openPalette = useContext(OpenPaletteContext);
  const open = (): void => {
    onOpen?.();
    openPalette();
  };
  if (isIcon) {
    return (
      <ActionIcon variant="subtle" color="gray" size="lg" ml="auto" aria-label={t.title} onClick={open}>
        <Search size={20} aria-hidden />
      </ActionIcon>
    );
  }
  return (
    <UnstyledButton
      className={classes['trigger']}
      onClick={open}
      aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
    >
      <Search size={15} aria-hidden />
      {t.open}
      <span className={classes['keys']} aria-hidden>
        {isMac ? '⌘K' : 'Ctrl K'}
      </span>
    </UnstyledButton>
  );
}
