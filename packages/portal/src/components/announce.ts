const regionId = 'portal-announcements';

/**
 * Says something to screen readers, politely, without moving the focus. The region is made once and emptied after a while,
 * so that the same words are said again when they happen again.
 */
export function announce(text: string): void {
  const region = document.getElementById(regionId) ?? createRegion();
  region.textContent = '';
  // A change within the same turn would not be noticed.
  setTimeout(() => {
    region.textContent = text;
  }, 60);
}

/** Makes the region before it is needed: what is added together with its text is not said by all screen readers. */
export function createRegion(): HTMLElement {
  const region = document.createElement('div');
  region.id = regionId;
  region.className = 'portal-visually-hidden';
  region.setAttribute('role', 'status');
  region.setAttribute('aria-live', 'polite');
  document.body.append(region);
  return region;
}
