import { useEffect, useRef } from 'react';

/**
 * Gives the focus back when a dialog is closed or gone: to what had it before, or, when that is gone too, to the title of the
 * page. What has taken the focus meanwhile keeps it.
 */
export function useReturnFocus(isOpen: boolean): void {
  const control = useRef<HTMLElement | null>(null);
  const wasOpen = useRef(false);
  // While it is opened, the focus is still where it was; a moment later it is in the dialog.
  if (isOpen && !wasOpen.current) control.current = focusedControl();
  wasOpen.current = isOpen;
  useEffect(() => (isOpen ? () => giveBack(control.current) : undefined), [isOpen]);
}

const afterDialogMs = 50;

function giveBack(control: HTMLElement | null): void {
  setTimeout(() => {
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    (control?.isConnected ? control : document.querySelector<HTMLElement>('h1'))?.focus();
  }, afterDialogMs);
}

/** An item of a menu is gone with its menu: the button that opened it stays. */
function focusedControl(): HTMLElement | null {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || focused === document.body) return null;
  const opener = focused.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return opener ? document.getElementById(opener) : focused;
}
