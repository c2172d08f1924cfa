import type { Logger } from 'pino';
import { type Configuration, ConfigurationError } from '../configuration/load.ts';
import { type LogoFile, readLogoFile } from '../configuration/logo-file.ts';
import { accentShades } from '../pages/accent-shades.ts';
import type { Brand } from '../pages/brand.ts';

/**
 * Reads the provider's logo, and warns about an accent colour that the portal must change.
 *
 * @throws ConfigurationError if a file has changed since the configuration was read, and is no logo any more
 */
export function openBrand({ logoFile, darkLogoFile, accentColor }: Configuration, logger: Logger): Brand {
  if (accentColor !== undefined) warnOfChange(accentColor, logger);
  return {
    ...(logoFile !== undefined && { logo: readLogo(logoFile) }),
    ...(darkLogoFile !== undefined && { darkLogo: readLogo(darkLogoFile) }),
    ...(accentColor !== undefined && { accent: accentColor }),
  };
}

function readLogo(path: string): LogoFile {
  const reading = readLogoFile(path);
  if ('mistake' in reading) throw new ConfigurationError([`${path} ${reading.mistake}`]);
  return reading;
}

function warnOfChange(accentColor: string, logger: Logger): void {
  const used = accentShades(accentColor).light['--portal-accent-fill'];
  if (used !== accentColor)
    logger.warn(
      { accentColor, used },
      'white text on the accent color would be hard to read, so the portal uses a darker shade of it',
    );
}
