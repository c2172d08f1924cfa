import { createHash } from 'node:crypto';
import { accentShades } from './accent-shades.ts';

/** How the provider looks: any of it can be missing. */
export interface Brand {
  readonly logo?: BrandImage;
  /** Replaces the logo in dark colours. */
  readonly darkLogo?: BrandImage;
  /** Six hexadecimal digits, such as `#0a7c66`. */
  readonly accent?: string;
}

export interface BrandImage {
  readonly type: string;
  readonly bytes: Buffer;
  /** The width divided by the height. */
  readonly ratio: number;
}

/** A file that the brand adds to the portal's. */
export interface BrandFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** What the brand changes in the portal. */
export interface BrandedPage {
  /** By name, below `/portal/`. */
  readonly files: ReadonlyMap<string, BrandFile>;
  readonly change: (page: string) => string;
}

/** The portal's own logo, in its page and as its file. */
const ownLogo = '/portal/icon.svg';
const ownColor = /#4c56cf/gi;

/**
 * Prepares the portal's page for a brand: its logo in the frame and as the icon, and a style sheet with the shades of its accent
 * colour. The portal's own logo takes that colour if no other is given. Names contain a hash, because browsers keep the files.
 *
 * @param icon the portal's own logo
 */
export function brandPage({ logo, darkLogo, accent }: Brand, icon: BrandImage): BrandedPage {
  const shades = accent === undefined ? undefined : accentShades(accent);
  const light = logo ?? (shades ? tinted(icon, shades.light['--portal-accent-fill']) : icon);
  const files = new Map<string, BrandFile>();
  const add = (name: string, file: BrandFile): string => {
    const hash = createHash('sha256').update(file.bytes).digest('hex').slice(0, 12);
    const [base, extension] = name.split('.');
    const path = `${brandFolder}${base}-${hash}.${extension}`;
    files.set(path, file);
    return `/portal/${path}`;
  };
  const lightUrl = add(`logo.${extensionOf(light)}`, light);
  const darkUrl = darkLogo && add(`dark-logo.${extensionOf(darkLogo)}`, darkLogo);
  const style = Buffer.from(`${shades ? styleOf(shades) : ''}${darkUrl === undefined ? '' : oneOfTwoLogos}`);
  const styleUrl =
    style.length === 0 ? undefined : add('brand.css', { type: 'text/css; charset=utf-8', bytes: style });
  const head = headOf({
    light: { url: lightUrl, image: light },
    dark: darkLogo && darkUrl ? { url: darkUrl, image: darkLogo } : undefined,
    styleUrl,
  });
  const frame = [
    imageTag(lightUrl, light, darkUrl === undefined ? undefined : 'light'),
    darkLogo && darkUrl ? imageTag(darkUrl, darkLogo, 'dark') : '',
  ].join('');
  return {
    files,
    change: (page) =>
      page
        .replace(/<link rel="icon"[^>]*>/, () => head)
        .replace(new RegExp(`<img src="${ownLogo}"[^>]*>`), () => frame),
  };
}

/** Files below it never change under one name. */
export const brandFolder = 'brand/';

interface Shown {
  readonly url: string;
  readonly image: BrandImage;
}

function headOf(brand: {
  readonly light: Shown;
  readonly dark: Shown | undefined;
  readonly styleUrl: string | undefined;
}): string {
  const { light, dark, styleUrl } = brand;
  const shown = ({ url, image }: Shown): object => ({ url, ratio: Number(image.ratio.toFixed(3)) });
  const facts = JSON.stringify({ light: shown(light), ...(dark && { dark: shown(dark) }) });
  return [
    `<meta name="portal-logo" content="${facts.replaceAll('"', '&quot;')}" />`,
    `<link rel="icon" type="${light.image.type}" href="${light.url}" />`,
    ...(dark
      ? [
          `<link rel="icon" type="${dark.image.type}" href="${dark.url}" media="(prefers-color-scheme: dark)" />`,
        ]
      : []),
    ...(styleUrl === undefined ? [] : [`<link rel="stylesheet" href="${styleUrl}" />`]),
  ].join('\n    ');
}

const frameHeight = 24;

function imageTag(url: string, { ratio }: BrandImage, scheme: 'light' | 'dark' | undefined): string {
  const width = Math.min(Math.round(frameHeight * ratio), frameWidthMax);
  const name = scheme === undefined ? '' : ` data-logo="${scheme}"`;
  return `<img src="${url}" alt="" width="${width}" height="${frameHeight}"${name} />`;
}

/** Leaves room for the rest of the bar. The portal's logo has the same. */
const frameWidthMax = 5.5 * frameHeight;

/** Above the portal's own variables and those that its UI library adds at run time. */
const strongRoot = ':root:root:root';

function styleOf({ light, dark }: ReturnType<typeof accentShades>): string {
  const block = (selector: string, colors: Readonly<Record<string, string>>): string =>
    `${selector} {\n${Object.entries(colors)
      .map(([name, color]) => `  ${name}: ${color};\n`)
      .join('')}}\n`;
  const hover = {
    '--mantine-color-ink-outline-hover': 'color-mix(in srgb, var(--portal-accent) 5%, transparent)',
  };
  return [
    block(strongRoot, { ...light, ...hover }),
    // In the dark the fill is lighter than in the light, and gets darker under the pointer.
    block(`${strongRoot}[data-mantine-color-scheme='dark']`, dark),
  ].join('');
}

const oneOfTwoLogos = `[data-logo='dark'],
[data-mantine-color-scheme='dark'] [data-logo='light'] {
  display: none !important;
}

[data-mantine-color-scheme='dark'] [data-logo='dark'] {
  display: block !important;
}
`;

function tinted(icon: BrandImage, color: string): BrandImage {
  return { ...icon, bytes: Buffer.from(icon.bytes.toString('utf8').replaceAll(ownColor, color)) };
}

function extensionOf({ type }: BrandImage): string {
  return type === 'image/png' ? 'png' : 'svg';
}
