import { Drawer } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { layout as t } from '#messages/layout.ts';
import classes from './layout.module.css';

interface NavigationDrawerProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The side bar of phones. */
export function NavigationDrawer({ isOpen, onClose, children }: NavigationDrawerProps): ReactElement {
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      size={292}
      withCloseButton={false}
      attributes={{ content: { 'aria-label': t.navigation } }}
      classNames={{ body: classes['drawer'] ?? '' }}
    >
      {children}
    </Drawer>
  );
}
