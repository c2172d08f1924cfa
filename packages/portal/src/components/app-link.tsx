import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';

interface AppLinkProps extends AnchorProps {
  /** A path within the portal, without `/portal`. */
  readonly to: string;
  readonly children: ReactNode;
}

/** A text link to another page of the portal. */
export function AppLink({ to, children, ...others }: AppLinkProps): ReactElement {
  return (
    <Anchor component={Link} href={to} inherit {...others}>
      {children}
    </Anchor>
  );
}

interface LinkButtonProps extends ButtonProps {
  readonly to: string;
  readonly children: ReactNode;
}

export function LinkButton({ to, children, ...others }: LinkButtonProps): ReactElement {
  // A link cannot be disabled: the keyboard would still follow it.
  if (others.disabled) return <Button {...others}>{children}</Button>;
  return (
    <Button component={Link} href={to} {...others}>
      {children}
    </Button>
  );
}
