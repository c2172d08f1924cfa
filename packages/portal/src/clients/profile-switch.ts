import type { ProfileId } from '@countersign/signature';

/** Returns true for the profiles that every service accepts, and that the examples and this portal sign by. */
export function isClosedProfile(profile: string): boolean {
  return profile === 'countersign' || mayOmitDate(profile);
}

/** Returns the state of the switch that lets a client's signatures omit `date`. */
export function mayOmitDate(profile: string): boolean {
  return profile === 'countersign-without-date';
}

/** Returns the profile for a state of that switch. */
export function profileOfSwitch(isOn: boolean): ProfileId {
  return isOn ? 'countersign-without-date' : 'countersign';
}
