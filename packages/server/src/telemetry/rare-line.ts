/**
 * Returns a function that counts its calls and writes the count: at once the first time, then at most once per
 * interval. Whatever a stranger causes a thousand times a second becomes one line.
 */
export function rareLine<Detail>(
  write: (count: number, latest: Detail) => void,
  everyMs = 60_000,
): (detail: Detail) => void {
  let count = 0;
  let latest: Detail;
  let timer: NodeJS.Timeout | undefined;
  const writeCount = (): void => {
    timer = undefined;
    if (count === 0) return;
    write(count, latest);
    count = 0;
    timer = setTimeout(writeCount, everyMs).unref();
  };
  return (detail) => {
    count += 1;
    latest = detail;
    if (timer === undefined) writeCount();
  };
}
