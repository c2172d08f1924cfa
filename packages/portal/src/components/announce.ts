const regionId = 'portal-announcements';

/** Announces a text to screen readers politely, without moving the focus. Repeated texts are announced again. */
export function announce(text: string): void {
  const region = document.getElementById(regionId) ?? createRegion();
  region.textContent = '';
  // Screen readers miss a change within the same task.
  setTimeout(() => {
    region.textContent = text;
  }, 60);
}

/** Creates the region ahead of time: some screen readers ignore a region added together with its text. */
export function createRegion(): HTMLElement {
  const region = document.createElement('div');
  region.id = regionId;
  region.className = 'portal-visually-hidden';
  region.setAttribute('role', 'status');
  region.setAttribute('aria-live', 'polite');
  document.body.append(region);
  return region;
}
