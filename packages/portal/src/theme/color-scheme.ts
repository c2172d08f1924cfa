import { localStorageColorSchemeManager, type MantineColorSchemeManager } from '@mantine/core';

/** Keeps the person's choice of light, dark or the system's, under the key that `public/color-scheme.js` reads too. */
export const colorSchemeManager: MantineColorSchemeManager = localStorageColorSchemeManager({
  key: 'countersign-color-scheme',
});
