/** How long tests wait for what is sure to come, even when the disk or the machine stands still for a while. */
export const patienceMs = 60_000;
