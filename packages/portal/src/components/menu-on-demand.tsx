import { type ComponentType, type ReactElement, type Ref, useEffect, useRef, useState } from 'react';
import { notify } from './notify.ts';

/** What a menu's button needs to open the menu. */
export interface MenuButtonProps {
  readonly ref?: Ref<HTMLButtonElement>;
  readonly 'aria-haspopup'?: 'menu';
  readonly 'aria-expanded'?: boolean;
  readonly onClick?: () => void;
  readonly onPointerEnter?: () => void;
  readonly onFocus?: () => void;
}

/** A menu around its button. */
export interface MenuProps {
  readonly button: ReactElement;
  readonly isOpen: boolean;
  readonly onChange: (isOpen: boolean) => void;
  /** Closes what the menu is in, such as the drawer on phones, after a choice. */
  readonly onChoose: (() => void) | undefined;
}

/** A menu that is loaded when someone is about to open it. */
export interface LaterMenu {
  readonly load: () => Promise<ComponentType<MenuProps>>;
  readonly loaded: () => ComponentType<MenuProps> | undefined;
}

/** Declares a menu that every page has a button for, and few people open. */
export function laterMenu(load: () => Promise<ComponentType<MenuProps>>): LaterMenu {
  let menu: ComponentType<MenuProps> | undefined;
  return { load: async () => (menu ??= await load()), loaded: () => menu };
}

interface MenuOnDemandProps extends Pick<MenuProps, 'onChoose'> {
  readonly menu: LaterMenu;
  readonly children: (props: MenuButtonProps) => ReactElement;
}

/** Shows a button, and the menu around it once it is loaded and someone opens it. */
export function MenuOnDemand({ menu, onChoose, children }: MenuOnDemandProps): ReactElement {
  const [Menu, setMenu] = useState(menu.loaded);
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const isWanted = useRef(false);
  useEffect(() => {
    if (Menu === undefined || !isWanted.current) return;
    isWanted.current = false;
    // The menu's button took the place of the one that was pressed. The menu returns the focus to it.
    button.current?.focus();
    setIsOpen(true);
  }, [Menu]);
  if (Menu !== undefined) {
    return (
      <Menu button={children({ ref: button })} isOpen={isOpen} onChange={setIsOpen} onChoose={onChoose} />
    );
  }
  const prepare = (): void => void menu.load().catch(() => undefined);
  const open = (): void => {
    isWanted.current = true;
    void menu.load().then(
      (loaded) => setMenu(() => loaded),
      (error: unknown) => notify.error(error),
    );
  };
  return children({
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: open,
    onPointerEnter: prepare,
    onFocus: prepare,
  });
}
