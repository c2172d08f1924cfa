import { useEffect, useRef } from 'react';

/**
 * Returns the focus when a dialog closes: to the control that had it, or to the page title if that is gone. Anything
 * that took the focus meanwhile keeps it.
 */
export function useReturnFocus(isOpen: boolean): void {
  const control = useRef<HTMLElement | null>(null);
  const wasOpen = useRef(false);
  // During this render the focus is still outside the dialog.
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

/** A menu item disappears with its menu, so the button that opened it counts. */
function focusedControl(): HTMLElement | null {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || focused === document.body) return menuButton;
  return menuButtonOf(focused) ?? focused;
}

/** The button of the menu that has the focus, or had it until it closed: that can be before the dialog of its item is drawn. */
let menuButton: HTMLElement | null = null;

addEventListener('focusin', ({ target }) => {
  menuButton = target instanceof HTMLElement ? menuButtonOf(target) : null;
});

function menuButtonOf(element: HTMLElement): HTMLElement | null {
  const id = element.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return id ? document.getElementById(id) : null;
}
