import type { ReactElement } from 'react';

/** The logo: a signature on its line. */
export function Logo({ size = 24 }: { readonly size?: number }): ReactElement {
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
