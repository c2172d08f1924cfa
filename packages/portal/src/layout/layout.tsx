import type { SignedInAccount } from '@countersign/contract';
import { ActionIcon, CloseButton } from '@mantine/core';
import { Menu as MenuIcon } from 'lucide-react';
import { lazy, type ReactElement, type ReactNode, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { layout as t } from '#messages/layout.ts';
import { useSession } from '../session/session-context.ts';
import { AccountSwitcher } from './account-switcher.tsx';
import { AccountStateBanner } from './account-state-banner.tsx';
import { ActingBanner } from './acting-banner.tsx';
import classes from './layout.module.css';
import { Logo, LogoWithName } from '../theme/logo.tsx';
import { PaletteButton } from '../palette/palette-provider.tsx';
import { Navigation } from './navigation.tsx';
import { PersonMenu } from './person-menu.tsx';
import { lazyPart } from '../session/lazy-part.ts';

/** Loaded after the main content of the page. */
const NoticeBell = lazy(() => import('./notice-bell.tsx'));

/** Only phones need it, and not before someone opens it. */
const loadDrawer = async () => (await import('./navigation-drawer.tsx')).NavigationDrawer;
const NavigationDrawer = lazyPart(loadDrawer);

/** Only a demonstration needs it. */
const DemoBanner = lazy(() => import('./demo-banner.tsx'));

/** The frame of every page after sign-in: side bar, banner, main area. */
export function Layout({ children }: { readonly children: ReactNode }): ReactElement {
  const account = useUsableAccount();
  return (
    <div className={classes['layout']}>
      <a href="#content" className={classes['skip']} onClick={skipToContent}>
        {t.skipToContent}
      </a>
      <PhoneBar />
      <aside className={classes['side']} aria-label={t.side}>
        <div className={classes['sideContent']}>
          <SideContent />
        </div>
      </aside>
      <div className={classes['main']}>
        <ActingBanner />
        <AccountStateBanner />
        {account?.hasDemoData && (
          <Suspense fallback={null}>
            <DemoBanner />
          </Suspense>
        )}
        <main id="content" tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  );
}

/** Returns the account that the pages show; undefined if there is none, or it can't be used from this address. */
function useUsableAccount(): SignedInAccount | undefined {
  const { account } = useSession();
  return account?.blockedAddress === undefined ? account : undefined;
}

/** The content of the side bar, and on phones of the drawer, which an action in it closes. */
function SideContent({ onNavigate }: { readonly onNavigate?: () => void }): ReactElement {
  const { features } = useSession();
  const account = useUsableAccount();
  return (
    <>
      <div className={classes['top']}>
        <div className={classes['first']}>
          <Link href="/" className={classes['brand'] ?? ''} {...(onNavigate && { onClick: onNavigate })}>
            <LogoWithName name={features.serviceName} />
          </Link>
          {onNavigate ? (
            <CloseButton size="lg" aria-label={t.closeNavigation} onClick={onNavigate} />
          ) : (
            account && <BellPlace />
          )}
        </div>
        <AccountSwitcher {...(onNavigate && { onSwitch: onNavigate })} />
        {account && <PaletteButton onOpen={onNavigate} />}
      </div>
      <div className={classes['links']}>
        {account && <Navigation account={account} {...(onNavigate && { onNavigate })} />}
      </div>
      <div className={classes['bottom']}>
        {features.isDemonstration && !account?.hasDemoData && (
          <p className={classes['demonstration']}>{t.demonstration}</p>
        )}
        <PersonMenu {...(onNavigate && { onNavigate })} />
      </div>
    </>
  );
}

/** Reserves the place of the bell, so that nothing moves when it appears. */
function BellPlace(): ReactElement {
  return (
    <span className={classes['bell']}>
      <Suspense fallback={null}>
        <NoticeBell />
      </Suspense>
    </span>
  );
}

function PhoneBar(): ReactElement {
  const { account: shown } = useSession();
  const account = useUsableAccount();
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);
  const close = (): void => setIsOpen(false);
  const open = (): void => {
    setWasOpened(true);
    setIsOpen(true);
  };
  return (
    <aside className={classes['bar']} aria-label={t.side}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={t.openNavigation}
        aria-expanded={isOpen}
        onPointerDown={() => void loadDrawer().catch(() => undefined)}
        onClick={open}
      >
        <MenuIcon size={20} aria-hidden />
      </ActionIcon>
      <Logo />
      <span className={classes['barName']}>{shown?.name}</span>
      {account && <PaletteButton isIcon />}
      {account && <BellPlace />}
      {wasOpened && (
        <Suspense fallback={null}>
          <NavigationDrawer isOpen={isOpen} onClose={close}>
            <SideContent onNavigate={close} />
          </NavigationDrawer>
        </Suspense>
      )}
    </aside>
  );
}

function skipToContent(event: React.MouseEvent): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}
