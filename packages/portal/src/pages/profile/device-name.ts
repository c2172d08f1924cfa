interface DeviceWords {
  readonly unknownDevice: string;
  readonly deviceOn: (browser: string, system: string) => string;
}

/** The first match wins: many browsers also name their ancestors. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgi?[A/]?/, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/\bcurl\//, 'curl'],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
];

/** Names a device by its user agent: `Firefox on Linux`. A hint, not a proof. */
export function deviceName(userAgent: string | undefined, t: DeviceWords): string {
  const browser = browsers.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1];
  const system = systems.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1];
  if (browser !== undefined && system !== undefined) return t.deviceOn(browser, system);
  return browser ?? system ?? t.unknownDevice;
}
