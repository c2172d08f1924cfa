import type { ReactElement } from 'react';

/** A file of the provider's logo. */
interface LogoImage {
  readonly url: string;
  /** The width divided by the height. */
  readonly ratio: number;
}

/** The provider's logo, which the service writes into the page; undefined for the portal's own. */
const provided = providedLogo();

function providedLogo(): { readonly light: LogoImage; readonly dark?: LogoImage } | undefined {
  const facts = document.querySelector<HTMLMetaElement>('meta[name="portal-logo"]')?.content;
  return facts === undefined
    ? undefined
    : (JSON.parse(facts) as { readonly light: LogoImage; readonly dark?: LogoImage });
}

/** Wider logos are taken for the provider's name in letters. */
const symbolRatioMax = 2;

/** Leaves room for the rest of a bar. The frame of the page has the same. */
const widthsMax = 5.5;

/** The logo: the provider's, or a signature on its line. */
export function Logo({ size = 24 }: { readonly size?: number }): ReactElement {
  if (provided === undefined) return <OwnLogo size={size} />;
  const { light, dark } = provided;
  return (
    <>
      <ProvidedLogo image={light} size={size} {...(dark && { scheme: 'light' })} />
      {dark && <ProvidedLogo image={dark} size={size} scheme="dark" />}
    </>
  );
}

/** The logo, and the service's name unless the logo is that in letters. */
export function LogoWithName({
  name,
  size,
}: {
  readonly name: string;
  readonly size?: number;
}): ReactElement {
  const isName = provided !== undefined && provided.light.ratio > symbolRatioMax;
  return (
    <>
      <Logo {...(size !== undefined && { size })} />
      <span {...(isName && { className: 'portal-visually-hidden' })}>{name}</span>
    </>
  );
}

interface ProvidedLogoProps {
  readonly image: LogoImage;
  readonly size: number;
  /** The colours in which it is shown; by default both. */
  readonly scheme?: 'light' | 'dark';
}

function ProvidedLogo({ image: { url, ratio }, size, scheme }: ProvidedLogoProps): ReactElement {
  const width = Math.round(size * Math.min(ratio, widthsMax));
  return (
    <img
      src={url}
      alt=""
      width={width}
      height={size}
      className="portal-logo"
      {...(scheme && { 'data-logo': scheme })}
    />
  );
}

function OwnLogo({ size }: { readonly size: number }): ReactElement {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden focusable="false">
      <rect width="32" height="32" rx="8" fill="#4c56cf" />
      <path
        d="M8.5 17.2c2.6 0 2.9-6.4 5.2-6.4 2.6 0 .4 9.6 3 9.6 1.9 0 2-4.4 3.6-4.4 1.3 0 1.2 2.2 3.2 2.2"
        fill="none"
        stroke="#fff"
        strokeWidth="2.4"
        strokeLinecap="round"
      />
      <path d="M8.5 24h15" stroke="#fff" strokeOpacity=".55" strokeWidth="1.8" strokeLinecap="round" />
    </svg>
  );
}
