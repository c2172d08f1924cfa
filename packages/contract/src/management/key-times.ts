/** The times of a key's life. */
export const keyTimes: {
  readonly overlapSecondsDefault: number;
  readonly overlapSecondsMax: number;
  /** After so many days a key should have been changed. */
  readonly rotationDays: number;
  /** So many days before, the suggested window begins. */
  readonly rotationWindowDays: number;
  /** How far ahead the end of a key can be put when it retires or is extended. */
  readonly endDaysMax: number;
} = {
  overlapSecondsDefault: 259_200,
  overlapSecondsMax: 2_592_000,
  rotationDays: 90,
  rotationWindowDays: 10,
  endDaysMax: 90,
};
