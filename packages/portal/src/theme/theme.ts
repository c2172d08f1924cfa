import {
  createTheme,
  localStorageColorSchemeManager,
  type MantineColorSchemeManager,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type MantineThemeOverride,
} from '@mantine/core';
import { components as words } from '#messages/components.ts';

/** The accent. White on shades 6 and up, and shades 3 and below on dark surfaces, have a contrast of at least 4.5:1. */
const ink: MantineColorsTuple = [
  '#f1f2fd',
  '#e0e3fa',
  '#c2c8f5',
  '#a3acf0',
  '#8290ea',
  '#6874df',
  '#4c56cf',
  '#4049b4',
  '#353c94',
  '#282e70',
];
const gray: MantineColorsTuple = [
  '#f7f8fa',
  '#f0f2f5',
  '#e5e8ee',
  '#d8dce4',
  '#c3c9d4',
  '#7f8898',
  '#5b6270',
  '#474d59',
  '#2f343e',
  '#1a1d24',
];
const dark: MantineColorsTuple = [
  '#e6e8ec',
  '#c6cad2',
  '#9aa2b1',
  '#858d9d',
  '#363c48',
  '#282d37',
  '#1b1f27',
  '#13161c',
  '#0f1216',
  '#0a0c10',
];
const red: MantineColorsTuple = [
  '#fdeeed',
  '#fadad8',
  '#f4b5b1',
  '#f08f89',
  '#e6645f',
  '#d9443f',
  '#c22f33',
  '#a8201f',
  '#8a1a1b',
  '#651314',
];
const green: MantineColorsTuple = [
  '#e9f6ee',
  '#d0ecdb',
  '#a3dbb9',
  '#74c896',
  '#46b176',
  '#279a5d',
  '#1a7f4b',
  '#15693e',
  '#115532',
  '#0c3e25',
];
const yellow: MantineColorsTuple = [
  '#fdf4e0',
  '#fae6ba',
  '#f5d184',
  '#efbb4e',
  '#e2a52a',
  '#bd8215',
  '#8f5f00',
  '#774f00',
  '#5e3f00',
  '#432d00',
];

const closeButtonProps = { 'aria-label': words.close };
/** A dialog's header is not the page's banner. */
const attributes = { header: { role: 'presentation' } };

/** Calm surfaces, one accent, one font, borders instead of shadows. */
export const theme: MantineThemeOverride = createTheme({
  primaryColor: 'ink',
  primaryShade: { light: 6, dark: 6 },
  colors: { ink, gray, dark, red, green, yellow },
  black: '#1a1d24',
  defaultRadius: 'md',
  // One for controls and boxes, a smaller one for marks within text, and the round ends of badges.
  radius: { xs: '3px', sm: '6px', md: '6px', lg: '6px', xl: '999px' },
  cursorType: 'pointer',
  fontFamily:
    'Inter, "Inter from Arial", "Inter from Roboto", "Inter from DejaVu", system-ui, "Noto Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSizes: { xs: '0.78125rem', sm: '0.875rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  // Text and links; names, labels and buttons; titles.
  fontWeights: { regular: '400', medium: '500', bold: '600' },
  headings: {
    fontWeight: 'var(--mantine-font-weight-bold)',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.4' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.45' },
    },
  },
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        padding: 'lg',
        closeButtonProps,
        attributes,
      },
    },
    Drawer: { defaultProps: { overlayProps: { backgroundOpacity: 0.45 }, closeButtonProps, attributes } },
    Notification: { defaultProps: { closeButtonProps } },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { 'aria-label': words.showPassword, tabIndex: 0 } },
    },
    Tooltip: {
      defaultProps: { openDelay: 250, withArrow: true, events: { hover: true, focus: true, touch: true } },
    },
    // ARIA allows only items in a menu, so not Mantine's placeholder.
    Menu: { defaultProps: { shadow: 'md', position: 'bottom-end', withInitialFocusPlaceholder: false } },
    Anchor: { defaultProps: { underline: 'hover' } },
  },
});

/** Replaces Mantine colours that miss the contrast of WCAG 2.2 AA (1.4.3: 4.5:1, 1.4.11: 3:1). */
export const contrastVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-6)',
    '--mantine-color-placeholder': '#6b7280',
    '--mantine-color-error': 'var(--mantine-color-red-7)',
    '--mantine-color-anchor': 'var(--mantine-color-ink-7)',
    '--mantine-color-disabled-color': '#6b7280',
    '--mantine-color-default-border': 'var(--mantine-color-gray-4)',
    '--mantine-color-ink-light-color': 'var(--mantine-color-ink-7)',
    '--mantine-color-red-light-color': 'var(--mantine-color-red-7)',
    '--mantine-color-green-light-color': 'var(--mantine-color-green-7)',
    '--mantine-color-yellow-light-color': 'var(--mantine-color-yellow-7)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-2)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-3)',
    '--mantine-color-error': 'var(--mantine-color-red-3)',
    '--mantine-color-anchor': 'var(--mantine-color-ink-3)',
    '--mantine-color-disabled': 'var(--mantine-color-dark-5)',
    // 4.8:1 under white text, 3.5:1 on surfaces.
    '--mantine-color-ink-filled': 'var(--portal-accent-fill)',
    '--mantine-color-ink-filled-hover': 'var(--mantine-color-ink-6)',
    '--mantine-color-disabled-color': 'var(--mantine-color-dark-2)',
    '--mantine-color-ink-light-color': 'var(--mantine-color-ink-2)',
    '--mantine-color-red-light-color': 'var(--mantine-color-red-2)',
    '--mantine-color-green-light-color': 'var(--mantine-color-green-2)',
    '--mantine-color-yellow-light-color': 'var(--mantine-color-yellow-2)',
  },
});

/** Stores the choice of light, dark or system. `public/color-scheme.js` reads the same key. */
export const colorSchemeManager: MantineColorSchemeManager = localStorageColorSchemeManager({
  key: 'countersign-color-scheme',
});
