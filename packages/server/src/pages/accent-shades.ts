/**
 * The portal's own colours, whose contrasts are known: its accent in ten shades, and what is used for text, soft backgrounds
 * and fills. `packages/portal/src/theme` has the same.
 */
const own = {
  light: {
    '--mantine-color-ink-0': '#f1f2fd',
    '--mantine-color-ink-1': '#e0e3fa',
    '--mantine-color-ink-2': '#c2c8f5',
    '--mantine-color-ink-3': '#a3acf0',
    '--mantine-color-ink-4': '#8290ea',
    '--mantine-color-ink-5': '#6874df',
    '--mantine-color-ink-6': '#4c56cf',
    '--mantine-color-ink-7': '#4049b4',
    '--mantine-color-ink-8': '#353c94',
    '--mantine-color-ink-9': '#282e70',
    '--portal-accent': '#4c56cf',
    '--portal-accent-text': '#4049b4',
    '--portal-accent-soft': '#eef0fd',
    '--portal-accent-fill': '#4c56cf',
    '--portal-accent-bright': '#5f6adf',
  },
  dark: {
    '--mantine-color-ink-6': '#4c56cf',
    '--mantine-color-ink-7': '#4049b4',
    // Mantine computes these two from shade 9.
    '--mantine-color-ink-light': '#141738',
    '--mantine-color-ink-light-hover': '#1c204e',
    '--portal-accent': '#8290ea',
    '--portal-accent-text': '#a3acf0',
    '--portal-accent-soft': '#20244a',
    '--portal-accent-fill': '#5c67da',
    '--portal-accent-bright': '#5f6adf',
  },
} as const;

/** The variables of the style sheet in light and in dark colours. */
export interface AccentShades {
  readonly light: Readonly<Record<keyof (typeof own)['light'], string>>;
  readonly dark: Readonly<Record<keyof (typeof own)['dark'], string>>;
}

const ownFill = own.light['--portal-accent-fill'];

/** The darkest background of text in light colours that is not a tint of the accent. */
const lightBackground = '#f0f2f5';

/** WCAG 2.2, 1.4.3. */
const contrastMin = 4.5;

/**
 * Derives the portal's shades from the provider's accent colour. Contrast depends on the luminance alone (WCAG 2.2), so a shade with
 * the provider's hue and the luminance of the portal's own has the same contrast with everything. In light colours, buttons
 * have exactly the given colour, darkened only if white text on it would have less than 4.5:1.
 *
 * @param accent six hexadecimal digits, such as `#0a7c66`
 */
export function accentShades(accent: string): AccentShades {
  const like = (reference: string): string => recolored(reference, accent);
  const fill = readable(accent);
  const strong = strongerThan(fill, like(own.light['--mantine-color-ink-7']), accent);
  const filled = {
    '--mantine-color-ink-6': fill,
    '--mantine-color-ink-7': strong,
    '--portal-accent': fill,
    '--portal-accent-text': strong,
    '--portal-accent-fill': fill,
  };
  return {
    light: { ...mapValues(own.light, like), ...filled },
    dark: mapValues(own.dark, like),
  };
}

function mapValues<Name extends string>(
  colors: Readonly<Record<Name, string>>,
  change: (color: string) => string,
): Readonly<Record<Name, string>> {
  const entries = Object.entries<string>(colors).map(([name, color]) => [name, change(color)]);
  return Object.fromEntries(entries) as Record<Name, string>;
}

/** Returns the contrast of two colours (WCAG 2.2), from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Darkens a colour until white text on it, and the colour as text, can be read. */
function readable(color: string): string {
  let shade = color;
  for (let luminance = luminanceOf(color); contrastOf(shade, lightBackground) < contrastMin;) {
    luminance = Math.min(luminance, luminanceOf(lightBackground) / contrastMin) - 0.001;
    shade = withLuminance(lchOf(color), luminance);
  }
  return shade;
}

/** The shade of links, and of a button under the pointer: darker than the button, or lighter if nothing darker can be seen. */
function strongerThan(fill: string, usual: string, accent: string): string {
  const luminance = luminanceOf(fill);
  if (luminanceOf(usual) < 0.8 * luminance) return usual;
  return withLuminance(lchOf(accent), luminance < 0.03 ? luminance + 0.03 : 0.7 * luminance);
}

/** Moves a colour from the portal's own accent to another one: by the same difference of hue and share of chroma. */
function recolored(reference: string, accent: string): string {
  const [from, given, usual] = [lchOf(ownFill), lchOf(accent), lchOf(reference)];
  const tint = { chroma: (usual.chroma * given.chroma) / from.chroma, hue: usual.hue + given.hue - from.hue };
  return withLuminance(tint, luminanceOf(reference));
}

/** A colour without its lightness, in OKLCH (CSS Color 4, section 9.3). */
interface Tint {
  readonly chroma: number;
  /** In radians. */
  readonly hue: number;
}

type Triple = readonly [number, number, number];

/** The number of halvings, which is more precise than eight bits. */
const steps = 24;

function withLuminance(tint: Tint, luminance: number): string {
  let [low, high] = [0, 1];
  for (let step = 0; step < steps; step++) {
    const middle = (low + high) / 2;
    if (relativeLuminance(displayable(middle, tint)) < luminance) low = middle;
    else high = middle;
  }
  return hexOf(displayable(low, tint));
}

/** Returns linear sRGB with the most chroma up to that of the tint that screens can show. */
function displayable(lightness: number, { chroma, hue }: Tint): Triple {
  let [low, high] = [0, chroma];
  if (isDisplayable(linearOf(lightness, chroma, hue))) return linearOf(lightness, chroma, hue);
  for (let step = 0; step < steps; step++) {
    const middle = (low + high) / 2;
    if (isDisplayable(linearOf(lightness, middle, hue))) low = middle;
    else high = middle;
  }
  return linearOf(lightness, low, hue);
}

function isDisplayable(linear: Triple): boolean {
  return linear.every((part) => part >= 0 && part <= 1);
}

/** OKLCH to linear sRGB, with the matrices of CSS Color 4, section 18. */
function linearOf(lightness: number, chroma: number, hue: number): Triple {
  const a = chroma * Math.cos(hue);
  const b = chroma * Math.sin(hue);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function lchOf(color: string): Tint {
  const [red, green, blue] = linearParts(color);
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return { chroma: Math.hypot(a, b), hue: Math.atan2(b, a) };
}

function luminanceOf(color: string): number {
  return relativeLuminance(linearParts(color));
}

function relativeLuminance([red, green, blue]: Triple): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function linearParts(color: string): Triple {
  const part = (start: number): number => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

function hexOf(linear: Triple): string {
  const digits = linear.map((part) => {
    const value = part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055;
    return Math.round(Math.min(1, Math.max(0, value)) * 255)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${digits.join('')}`;
}
